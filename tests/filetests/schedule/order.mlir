// Workgroups take their places in another order: each writes the place that it took, so all of them are there once, and which
// is whose place shows in the numbers that the last axis, which stays as it is, adds.
// test roundtrip
// test run target=sm_80
// test run target=gfx942
// expect sm_80: layout gpu.grid_dim 2, layout gpu.block_id 3, layout arith.divui 1
// lanewise.args C = 3, R = 4 : y = empty(2, R, C) ; grid = (C, R, 2)
func.func @transposed(%y: memref<2x?x?xi32>) attributes {
    translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [32, 1, 1], {gpu_pipeline_options = #iree_gpu.pipeline_options<reorder_workgroups_strategy = <Transpose>>}>} {
  %c10 = arith.constant 10 : index
  %i = gpu.block_id x
  %j = gpu.block_id y
  %k = gpu.block_id z
  %a = arith.muli %j, %c10 : index
  %b = arith.addi %a, %i : index
  %n = arith.index_cast %b : index to i32
  %v = vector.broadcast %n : i32 to vector<1xi32>
  vector.transfer_write %v, %y[%k, %j, %i] {in_bounds = [true]} : vector<1xi32>, memref<2x?x?xi32>
  return
}
// -----
// Four rows in bands of three: the last band has one.
// expect sm_80: layout gpu.grid_dim 2, layout arith.divui 2, layout arith.remui 2, layout arith.minui 1
// lanewise.args C = 3, R = 4 : y = empty(2, R, C) ; grid = (C, R, 2)
gpu.func @bands(%y: memref<2x?x?xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.bands = 3} {
  %c10 = arith.constant 10 : index
  %i = gpu.block_id x
  %j = gpu.block_id y
  %k = gpu.block_id z
  %a = arith.muli %j, %c10 : index
  %b = arith.addi %a, %i : index
  %n = arith.index_cast %b : index to i32
  %v = vector.broadcast %n : i32 to vector<1xi32>
  vector.transfer_write %v, %y[%k, %j, %i] {in_bounds = [true]} : vector<1xi32>, memref<2x?x?xi32>
  gpu.return
}
// -----
// All workgroups do the same: there is nothing to order.
// expect sm_80: layout gpu.grid_dim 0, layout gpu.block_id 1
// lanewise.args y = empty(2) ; grid = (1, 1, 2)
gpu.func @none(%y: memref<2xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.bands = 8} {
  %k = gpu.block_id z
  %n = arith.index_cast %k : index to i32
  %v = vector.broadcast %n : i32 to vector<1xi32>
  vector.transfer_write %v, %y[%k] {in_bounds = [true]} : vector<1xi32>, memref<2xi32>
  gpu.return
}
