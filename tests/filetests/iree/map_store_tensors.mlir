// Stores into tensors: what the tensor is with the elements in it. Each third element comes from a vector, then from a tensor.
// test roundtrip
// test run
// test run target=gfx942
// prints ( 3, 9, 9, 2, 9, 9, 1, 9, 9 )
// lanewise.args x = index(9), y = empty(9); grid = 1
gpu.func @k(%x: memref<9xi32>, %y: memref<9xi32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i32
  %nines = arith.constant dense<9> : tensor<9xi32>
  %three = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
  %t = iree_linalg_ext.map_store %three into %nines {
  ^bb0(%i: index):
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %back = arith.subi %c2, %i : index
    %at = arith.muli %back, %c3 : index
    %yes = arith.constant true
    iree_linalg_ext.yield %at, %yes : index, i1
  } : tensor<3xi32> into tensor<9xi32> -> tensor<9xi32>
  %v = vector.transfer_read %t[%c0], %p {in_bounds = [true]} : tensor<9xi32>, vector<9xi32>
  vector.print %v : vector<9xi32>
  %some = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<9xi32>, vector<3xi32>
  %u = iree_linalg_ext.map_store %some into %t {
  ^bb0(%i: index):
    %yes = arith.constant true
    iree_linalg_ext.yield %i, %yes : index, i1
  } : vector<3xi32> into tensor<9xi32> -> tensor<9xi32>
  iree_codegen.store_to_buffer %u, %y : tensor<9xi32> into memref<9xi32>
  gpu.return
}
