// test run
// One operand is asked for, and no other, whatever would be worth it.
// expect sm_75: layout memref.alloc 1, layout vector.transfer_read 4
// expect sm_80: layout memref.alloc 1, layout vector.transfer_read 2
// lanewise.args a = integers(-3, 3, 32, 48), b = integers(-3, 3, 48, 32), c = empty(32, 32) ; grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @f(%A: memref<32x48xf16>, %B: memref<48x32xf16>, %C: memref<32x32xf32>) attributes {
    translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [32, 1, 1]>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c48 = arith.constant 48 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<32x32xf32>
  %sum = scf.for %k = %c0 to %c48 step %c16 iter_args(%acc = %zero) -> (vector<32x32xf32>) {
    %a = vector.transfer_read %A[%c0, %k], %pad {in_bounds = [true, true]} : memref<32x48xf16>, vector<32x16xf16>
    %b = vector.transfer_read %B[%k, %c0], %pad {in_bounds = [true, true]} : memref<48x32xf16>, vector<16x32xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>, lowering_config = #iree_gpu.lowering_config<{promote_operands = [1]}>} %a, %b, %acc : vector<32x16xf16>, vector<16x32xf16> into vector<32x32xf32>
    scf.yield %next : vector<32x32xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] : vector<32x32xf32>, memref<32x32xf32>
  return
}
// -----
// None is.
// expect sm_80: layout memref.alloc 0, layout vector.transfer_read 2
// lanewise.args a = integers(-3, 3, 32, 48), b = integers(-3, 3, 48, 32), c = empty(32, 32) ; grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @f(%A: memref<32x48xf16>, %B: memref<48x32xf16>, %C: memref<32x32xf32>) attributes {
    translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [64, 1, 1]>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c48 = arith.constant 48 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<32x32xf32>
  %sum = scf.for %k = %c0 to %c48 step %c16 iter_args(%acc = %zero) -> (vector<32x32xf32>) {
    %a = vector.transfer_read %A[%c0, %k], %pad {in_bounds = [true, true]} : memref<32x48xf16>, vector<32x16xf16>
    %b = vector.transfer_read %B[%k, %c0], %pad {in_bounds = [true, true]} : memref<48x32xf16>, vector<16x32xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>, lowering_config = #iree_gpu.lowering_config<{promote_operands = []}>} %a, %b, %acc : vector<32x16xf16>, vector<16x32xf16> into vector<32x32xf32>
    scf.yield %next : vector<32x32xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] : vector<32x32xf32>, memref<32x32xf32>
  return
}
// -----
// Tiles are not read ahead.
// expect sm_80: layout memref.alloc 2, layout vector.transfer_read 4
// lanewise.args a = integers(-3, 3, 32, 48), b = integers(-3, 3, 48, 32), c = empty(32, 32) ; grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @f(%A: memref<32x48xf16>, %B: memref<48x32xf16>, %C: memref<32x32xf32>) attributes {
    translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [64, 1, 1], {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 1>}>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c48 = arith.constant 48 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<32x32xf32>
  %sum = scf.for %k = %c0 to %c48 step %c16 iter_args(%acc = %zero) -> (vector<32x32xf32>) {
    %a = vector.transfer_read %A[%c0, %k], %pad {in_bounds = [true, true]} : memref<32x48xf16>, vector<32x16xf16>
    %b = vector.transfer_read %B[%k, %c0], %pad {in_bounds = [true, true]} : memref<48x32xf16>, vector<16x32xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %acc : vector<32x16xf16>, vector<16x32xf16> into vector<32x32xf32>
    scf.yield %next : vector<32x32xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] : vector<32x32xf32>, memref<32x32xf32>
  return
}
// -----
// They are: in registers, or by copies to the second of two buffers, the first two before the loop.
// expect sm_75: layout memref.alloc 2, layout vector.transfer_read 6
// expect sm_80: layout memref.alloc 2, layout vector.transfer_read 2, layout lanewise.async_copy 4
// lanewise.args a = integers(-3, 3, 32, 48), b = integers(-3, 3, 48, 32), c = empty(32, 32) ; grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @f(%A: memref<32x48xf16>, %B: memref<48x32xf16>, %C: memref<32x32xf32>) attributes {
    translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [64, 1, 1], {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 2>}>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c48 = arith.constant 48 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<32x32xf32>
  %sum = scf.for %k = %c0 to %c48 step %c16 iter_args(%acc = %zero) -> (vector<32x32xf32>) {
    %a = vector.transfer_read %A[%c0, %k], %pad {in_bounds = [true, true]} : memref<32x48xf16>, vector<32x16xf16>
    %b = vector.transfer_read %B[%k, %c0], %pad {in_bounds = [true, true]} : memref<48x32xf16>, vector<16x32xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %acc : vector<32x16xf16>, vector<16x32xf16> into vector<32x32xf32>
    scf.yield %next : vector<32x32xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] : vector<32x32xf32>, memref<32x32xf32>
  return
}
// -----
// Four buffers, three of which are filled before the loop, though it takes no more than three iterations. Several rows of A
// and of B are in a line of 128 bytes, so pieces of 16 bytes change places in them: 4 * 2 * (32 * 16 + 16 * 32) bytes.
// expect sm_80: layout memref.alloc 2, layout lanewise.async_copy 8, shared bytes 8192, bank conflicts 0, barriers 1, loads 0
// lanewise.args a = integers(-3, 3, 32, 48), b = integers(-3, 3, 48, 32), c = empty(32, 32) ; grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @f(%A: memref<32x48xf16>, %B: memref<48x32xf16>, %C: memref<32x32xf32>) attributes {
    translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [64, 1, 1], {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 4>}>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c48 = arith.constant 48 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<32x32xf32>
  %sum = scf.for %k = %c0 to %c48 step %c16 iter_args(%acc = %zero) -> (vector<32x32xf32>) {
    %a = vector.transfer_read %A[%c0, %k], %pad {in_bounds = [true, true]} : memref<32x48xf16>, vector<32x16xf16>
    %b = vector.transfer_read %B[%k, %c0], %pad {in_bounds = [true, true]} : memref<48x32xf16>, vector<16x32xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %acc : vector<32x16xf16>, vector<16x32xf16> into vector<32x32xf32>
    scf.yield %next : vector<32x32xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] : vector<32x32xf32>, memref<32x32xf32>
  return
}
