// Loops of products one after the other: each gets its rings, and the second's lie where the first's were. All threads meet
// in between, once what copies and tensor cores had under way is over. Tiles of 64 x 64 halves are 8 KiB.
// test run target=sm_80
// test run target=sm_90a
// test run target=gfx950
// test run target=gfx942
// Of three tiles each, rows of 144 bytes on sm_80; on sm_90a beside two groups of three barrier objects of 8 bytes, of which
// the second begins at a multiple of 16. gfx942 holds tiles in registers, and has one of each at a time in shared memory.
// expect sm_80: shared bytes 55296, copies >= 8, wgmma 0
// expect sm_90a: shared bytes 49208, wgmma 8
// expect gfx950: shared bytes 49152
// expect gfx942: shared bytes 16384
// lanewise.args a = integers(-3, 3, 64, 320), b = integers(-3, 3, 64, 320), d = integers(-3, 3, 64, 192), e = integers(-3, 3, 64, 192), c = empty(64, 64); grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @one_after_the_other(%a: memref<64x320xf16> {llvm.align = 16 : i64}, %b: memref<64x320xf16> {llvm.align = 16 : i64},
    %d: memref<64x192xf16> {llvm.align = 16 : i64}, %e: memref<64x192xf16> {llvm.align = 16 : i64}, %c: memref<64x64xf32>) attributes {
    translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [128, 1, 1],
      {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 3>}>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 64 : index
  %long = arith.constant 320 : index
  %short = arith.constant 192 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %r = scf.for %k = %c0 to %long step %step iter_args(%sum_r = %z) -> (vector<64x64xf32>) {
    %l_r = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<64x320xf16>, vector<64x64xf16>
    %s_r = vector.transfer_read %b[%c0, %k], %p {in_bounds = [true, true]} : memref<64x320xf16>, vector<64x64xf16>
    %next_r = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %l_r, %s_r, %sum_r : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
    scf.yield %next_r : vector<64x64xf32>
  }
  %t = scf.for %k = %c0 to %short step %step iter_args(%sum_t = %r) -> (vector<64x64xf32>) {
    %l_t = vector.transfer_read %d[%c0, %k], %p {in_bounds = [true, true]} : memref<64x192xf16>, vector<64x64xf16>
    %s_t = vector.transfer_read %e[%c0, %k], %p {in_bounds = [true, true]} : memref<64x192xf16>, vector<64x64xf16>
    %next_t = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %l_t, %s_t, %sum_t : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
    scf.yield %next_t : vector<64x64xf32>
  }
  vector.transfer_write %t, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  return
}
// -----
// A loop in another one: the outer one's tiles are on their way while the inner one's are used. Nothing is shared.
// On sm_90a the inner loop has no boxes, and the outer one three barrier objects.
// expect sm_80: shared bytes 110592
// expect sm_90a: shared bytes 98328
// expect gfx950: shared bytes 98304
// expect gfx942: shared bytes 32768
// lanewise.args a = integers(-3, 3, 64, 320), b = integers(-3, 3, 64, 320), d = integers(-3, 3, 64, 192), e = integers(-3, 3, 64, 192), c = empty(64, 64); grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @one_in_the_other(%a: memref<64x320xf16> {llvm.align = 16 : i64}, %b: memref<64x320xf16> {llvm.align = 16 : i64},
    %d: memref<64x192xf16> {llvm.align = 16 : i64}, %e: memref<64x192xf16> {llvm.align = 16 : i64}, %c: memref<64x64xf32>) attributes {
    translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [128, 1, 1],
      {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 3>}>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 64 : index
  %long = arith.constant 320 : index
  %short = arith.constant 192 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %t = scf.for %k = %c0 to %short step %step iter_args(%sum_t = %z) -> (vector<64x64xf32>) {
    %l_t = vector.transfer_read %d[%c0, %k], %p {in_bounds = [true, true]} : memref<64x192xf16>, vector<64x64xf16>
    %s_t = vector.transfer_read %e[%c0, %k], %p {in_bounds = [true, true]} : memref<64x192xf16>, vector<64x64xf16>
    %r = scf.for %j = %c0 to %long step %step iter_args(%sum_r = %sum_t) -> (vector<64x64xf32>) {
      %l_r = vector.transfer_read %a[%c0, %j], %p {in_bounds = [true, true]} : memref<64x320xf16>, vector<64x64xf16>
      %s_r = vector.transfer_read %b[%c0, %j], %p {in_bounds = [true, true]} : memref<64x320xf16>, vector<64x64xf16>
      %next_r = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"],
        kind = #vector.kind<add>} %l_r, %s_r, %sum_r : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
      scf.yield %next_r : vector<64x64xf32>
    }
    %next_t = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %l_t, %s_t, %r : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
    scf.yield %next_t : vector<64x64xf32>
  }
  vector.transfer_write %t, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  return
}
