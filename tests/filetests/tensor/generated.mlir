// The extent is a constant: twice the index of each of three elements.
// test run
// prints ( 0, 2, 4 )
// lanewise.args ; grid = 1
gpu.func @generated() kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %p = arith.constant 0 : i32
  %g = tensor.generate %c3 {
  ^bb0(%i: index):
    %d = arith.addi %i, %i : index
    %q = arith.index_cast %d : index to i32
    tensor.yield %q : i32
  } : tensor<?xi32>
  %v = vector.transfer_read %g[%c0], %p {in_bounds = [true]} : tensor<?xi32>, vector<3xi32>
  vector.print %v : vector<3xi32>
  gpu.return
}
// -----
// The same, put into a buffer, and its extent.
// prints 3
// lanewise.args y = empty(3); grid = 1
gpu.func @put(%y: memref<?xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %g = tensor.generate %c3 {
  ^bb0(%i: index):
    %d = arith.addi %i, %i : index
    %q = arith.index_cast %d : index to i32
    tensor.yield %q : i32
  } : tensor<?xi32>
  %n = tensor.dim %g, %c0 : tensor<?xi32>
  vector.print %n : index
  bufferization.materialize_in_destination %g in restrict writable %y : (tensor<?xi32>, memref<?xi32>) -> ()
  gpu.return
}
