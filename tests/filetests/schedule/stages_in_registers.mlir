// test run target=gfx942
// Where the chip does not copy asynchronously, so many tiles less one are held in registers: of A and B two each are read
// before the loop, one each in it, and one each from shared memory. The loop ends after three iterations, one of which
// reads beyond A's columns.
// expect gfx942: layout memref.alloc 2, layout vector.transfer_read 8
// expect sm_75: layout memref.alloc 2, layout vector.transfer_read 8
// lanewise.args a = integers(-3, 3, 32, 48), b = integers(-3, 3, 48, 32), c = empty(32, 32) ; grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @f(%A: memref<32x48xf16>, %B: memref<48x32xf16>, %C: memref<32x32xf32>) attributes {
    translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1], {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 3>}>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c48 = arith.constant 48 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<32x32xf32>
  %sum = scf.for %k = %c0 to %c48 step %c16 iter_args(%acc = %zero) -> (vector<32x32xf32>) {
    %a = vector.transfer_read %A[%c0, %k], %pad {in_bounds = [true, true]} : memref<32x48xf16>, vector<32x16xf16>
    %b = vector.transfer_read %B[%k, %c0], %pad {in_bounds = [true, true]} : memref<48x32xf16>, vector<16x32xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>, lowering_config = #iree_gpu.lowering_config<{promote_operands = [0, 1]}>} %a, %b, %acc : vector<32x16xf16>, vector<16x32xf16> into vector<32x32xf32>
    scf.yield %next : vector<32x32xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] : vector<32x32xf32>, memref<32x32xf32>
  return
}
// -----
// Four, of a loop of any number of iterations, that may begin behind its end, and whose step and start are not known.
// lanewise.args a = integers(-3, 3, 32, 48), b = integers(-3, 3, 48, 32), c = empty(32, 32), 16, 40, 8 ; grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @f(%A: memref<32x?xf16>, %B: memref<?x32xf16>, %C: memref<32x32xf32>, %low: index, %high: index, %step: index) attributes {
    translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1], {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 4>}>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<32x32xf32>
  %sum = scf.for %k = %low to %high step %step iter_args(%acc = %zero) -> (vector<32x32xf32>) {
    %a = vector.transfer_read %A[%c0, %k], %pad {in_bounds = [true, false]} : memref<32x?xf16>, vector<32x16xf16>
    %b = vector.transfer_read %B[%k, %c0], %pad {in_bounds = [false, true]} : memref<?x32xf16>, vector<16x32xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>, lowering_config = #iree_gpu.lowering_config<{promote_operands = [0, 1]}>} %a, %b, %acc : vector<32x16xf16>, vector<16x32xf16> into vector<32x32xf32>
    scf.yield %next : vector<32x32xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] : vector<32x32xf32>, memref<32x32xf32>
  return
}
