// Rows of 96 or of 48 numbers are cut into three boxes, a number that is no power of two: where a ring's slot, or the tile of
// the second four, begins is counted in whole rows of boxes.
// test run target=sm_90a
// Of 64 x 96 x 32 multiply-adds m64n96k16 does half.
// expect sm_90a: wgmma 2, conversions 0, bank conflicts 0
// lanewise.args a = integers(-3, 3, 64, 96), b = integers(-3, 3, 96, 96), c = empty(64, 96) ; grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @ring(%A: memref<64x96xf16>, %B: memref<96x96xf16>, %C: memref<64x96xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<64x96xf32>
  %sum = scf.for %k = %c0 to %c96 step %c32 iter_args(%acc = %zero) -> (vector<64x96xf32>) {
    %a = vector.transfer_read %A[%c0, %k], %pad {in_bounds = [true, true]} : memref<64x96xf16>, vector<64x32xf16>
    %b = vector.transfer_read %B[%k, %c0], %pad {in_bounds = [true, true]} : memref<96x96xf16>, vector<32x96xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %acc : vector<64x32xf16>, vector<32x96xf16> into vector<64x96xf32>
    scf.yield %next : vector<64x96xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] {in_bounds = [true, true]} : vector<64x96xf32>, memref<64x96xf32>
  gpu.return
}
// -----
// lanewise.args a = integers(-3, 3, 128, 48), b = integers(-3, 3, 64, 48), c = empty(128, 64) ; grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @two_fours(%A: memref<128x48xf16>, %B: memref<64x48xf16>, %C: memref<128x64xf32>) attributes {
    translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [256, 1, 1]
      subgroup_size = 32, {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 1>}>} {
  %c0 = arith.constant 0 : index
  %c48 = arith.constant 48 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<128x64xf32>
  %sum = scf.for %k = %c0 to %c48 step %c48 iter_args(%acc = %zero) -> (vector<128x64xf32>) {
    %a = vector.transfer_read %A[%c0, %k], %pad {in_bounds = [true, true]} : memref<128x48xf16>, vector<128x48xf16>
    %b = vector.transfer_read %B[%c0, %k], %pad {in_bounds = [true, true]} : memref<64x48xf16>, vector<64x48xf16>
    %next = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %acc : vector<128x48xf16>, vector<64x48xf16> into vector<128x64xf32>
    scf.yield %next : vector<128x64xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] {in_bounds = [true, true]} : vector<128x64xf32>, memref<128x64xf32>
  return
}
