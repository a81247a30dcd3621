// test compile
gpu.func @thread(%c: memref<16x16xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %i = gpu.thread_id x
  // expected-error@+1 {{is of a subgroup's matrices, in the program of a thread}}
  %d = gpu.subgroup_mma_load_matrix %c[%i, %i] leadDimension 16 : memref<16x16xf32> -> !gpu.mma_matrix<16x16xf32, "COp">
  gpu.return
}
// -----
gpu.func @elements(%c: memref<16x16xi8>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %i = arith.constant 0 : index
  // expected-error@+1 {{moves elements of f32 as i8: lanewise moves elements as they are}}
  %d = gpu.subgroup_mma_load_matrix %c[%i, %i] leadDimension 16 : memref<16x16xi8> -> !gpu.mma_matrix<16x16xf32, "COp">
  gpu.return
}
