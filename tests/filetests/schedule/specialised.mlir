// Four subgroups besides those of the program copy for its loop: one thread of them, box by box. Those that multiply wait for
// tiles, and tell of what they have read. All threads meet once, behind the barrier objects, of which each slot of a ring has
// two, of 8 bytes.
// test run target=sm_90a
// Rings of 4 x 8 KiB each. 64 / 16 instructions a tile. Eight subgroups meet once.
// expect sm_90a: wgmma 4, mma 4, copies 2, loads 0, shared loads 0, shared stores 0, barriers 1, executed barriers 8
// expect sm_90a: conversions 0, bank conflicts 0, shared bytes 65600, spills 0
// lanewise.args a = integers(-3, 3, 64, 320), b = integers(-3, 3, 64, 320), c = empty(64, 64); grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @four(%a: memref<64x320xf16>, %b: memref<64x320xf16>, %c: memref<64x64xf32>) attributes {
    lanewise.specialise = true,
    translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [128, 1, 1]
      subgroup_size = 32, {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 4>}>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 64 : index
  %depth = arith.constant 320 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<64x64xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<64x320xf16>, vector<64x64xf16>
    %s = vector.transfer_read %b[%c0, %k], %p {in_bounds = [true, true]} : memref<64x320xf16>, vector<64x64xf16>
    %d = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %l, %s, %sum : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
    scf.yield %d : vector<64x64xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  return
}
// -----
// Two tiles of each are enough: then an iteration frees the tile that the next one reads. What stands before the loop and
// behind it is of those that multiply, eight subgroups, which the sum over all rows makes meet: 12 subgroups, then 8 of them.
// expect sm_90a: wgmma 2, copies 2, barriers 2, executed barriers 20
// lanewise.args a = integers(-3, 3, 128, 96), b = integers(-3, 3, 64, 96), c = integers(-3, 3, 128, 64), d = empty(64); grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @eight(%a: memref<128x96xf16>, %b: memref<64x96xf16>, %c: memref<128x64xf32>, %d: memref<64xf32>) attributes {
    lanewise.specialise = true,
    translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [256, 1, 1]
      subgroup_size = 32, {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 2>}>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 32 : index
  %depth = arith.constant 96 : index
  %p = arith.constant 0.0 : f16
  %p32 = arith.constant 0.0 : f32
  %none = arith.constant dense<0.0> : vector<64xf32>
  %z = vector.transfer_read %c[%c0, %c0], %p32 {in_bounds = [true, true]} : memref<128x64xf32>, vector<128x64xf32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<128x64xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<128x96xf16>, vector<128x32xf16>
    %s = vector.transfer_read %b[%c0, %k], %p {in_bounds = [true, true]} : memref<64x96xf16>, vector<64x32xf16>
    %next = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %l, %s, %sum : vector<128x32xf16>, vector<64x32xf16> into vector<128x64xf32>
    scf.yield %next : vector<128x64xf32>
  }
  %total = vector.multi_reduction <add>, %r, %none [0] : vector<128x64xf32> to vector<64xf32>
  vector.transfer_write %total, %d[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}
