// Two workgroups of a cluster stand one above the other: their rows of %a are different, those of %b the same. Each copies half
// of a tile of %b for both, and its own tile of %a. A slot is free where both have read it.
// test run target=sm_90a
// Each row of %a once, 128 * 320 * 2 bytes, and each of %b once for both, 64 * 320 * 2. The barrier of the cluster is in two parts,
// before and behind, where 8 subgroups of each arrive. All of it is what it was for workgroups by themselves, but for the
// arrival at the other one's objects.
// expect sm_90a: wgmma 4, copies 2, loads 0, shared loads 0, shared stores 0, barriers 4, executed barriers 32, read bytes 122880
// expect sm_90a: conversions 0, bank conflicts 0, shared bytes 65600, spills 0
// lanewise.args a = integers(-3, 3, 128, 320), b = integers(-3, 3, 64, 320), c = empty(128, 64); grid = (1, 2, 1)
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @column(%a: memref<128x320xf16>, %b: memref<64x320xf16>, %c: memref<128x64xf32>) attributes {
    lanewise.specialise = true, known_cluster_size = array<i32: 1, 2, 1>,
    translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [128, 1, 1]
      subgroup_size = 32, {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 4>}>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 64 : index
  %depth = arith.constant 320 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %y = gpu.block_id y
  %m = arith.muli %y, %step : index
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<64x64xf32>) {
    %l = vector.transfer_read %a[%m, %k], %p {in_bounds = [true, true]} : memref<128x320xf16>, vector<64x64xf16>
    %s = vector.transfer_read %b[%c0, %k], %p {in_bounds = [true, true]} : memref<64x320xf16>, vector<64x64xf16>
    %d = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %l, %s, %sum : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
    scf.yield %d : vector<64x64xf32>
  }
  vector.transfer_write %r, %c[%m, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<128x64xf32>
  return
}
// -----
// Four workgroups in a square: those of a row share tiles of %a, those of a column tiles of %b, and each element of either is
// read once: 128 * 128 * 2 bytes twice.
// expect sm_90a: wgmma 4, copies 2, barriers 4, read bytes 65536
// lanewise.args a = integers(-3, 3, 128, 128), b = integers(-3, 3, 128, 128), c = empty(128, 128); grid = (2, 2, 1)
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @square(%a: memref<128x128xf16>, %b: memref<128x128xf16>, %c: memref<128x128xf32>) attributes {
    lanewise.specialise = true, known_cluster_size = array<i32: 2, 2, 1>,
    translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [128, 1, 1]
      subgroup_size = 32, {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 2>}>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 64 : index
  %depth = arith.constant 128 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %x = gpu.block_id x
  %y = gpu.block_id y
  %m = arith.muli %y, %step : index
  %n = arith.muli %x, %step : index
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<64x64xf32>) {
    %l = vector.transfer_read %a[%m, %k], %p {in_bounds = [true, true]} : memref<128x128xf16>, vector<64x64xf16>
    %s = vector.transfer_read %b[%n, %k], %p {in_bounds = [true, true]} : memref<128x128xf16>, vector<64x64xf16>
    %d = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %l, %s, %sum : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
    scf.yield %d : vector<64x64xf32>
  }
  vector.transfer_write %r, %c[%m, %n] {in_bounds = [true, true]} : vector<64x64xf32>, memref<128x128xf32>
  return
}
