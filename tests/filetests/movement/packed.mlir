// Lanes exchange words: two halves or four bytes that stay together travel as one.
// test run
// Four halves of a thread go to another lane: two words.
// expect sm_90: shuffles 2, barriers 0, shared bytes 0
// expect gfx1100: shuffles 2, barriers 0, shared bytes 0
// lanewise.args x = index(8, 16), y = empty(8, 16); grid = 1
#rows = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 4], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#columns = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 4], subgroup_strides = [0, 0], thread_strides = [1, 8]>
gpu.func @halves(%x: memref<8x16xf16>, %y: memref<8x16xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %0 = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x16xf16>, vector<8x16xf16>
  %1 = iree_vector_ext.to_layout %0 to layout(#rows) : vector<8x16xf16>
  %2 = arith.addf %1, %1 : vector<8x16xf16>
  %3 = iree_vector_ext.to_layout %2 to layout(#columns) : vector<8x16xf16>
  vector.transfer_write %3, %y[%c0, %c0] {in_bounds = [true, true]} : vector<8x16xf16>, memref<8x16xf16>
  gpu.return
}

// -----

// A register bit and a lane bit change places, and four bytes along the other dimension stay together: of two words
// one is sent, after one select and before one.
// expect sm_90: shuffles 1, barriers 0, shared bytes 0
// expect gfx1100: shuffles 1, barriers 0, shared bytes 0
// lanewise.args x = index(2, 2, 64), y = empty(2, 2, 64); grid = 1
#held = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1, 1], batch_tile = [1, 2, 1], outer_tile = [1, 1, 1], thread_tile = [2, 1, 16], element_tile = [1, 1, 4], subgroup_strides = [0, 0, 0], thread_strides = [16, 0, 1]>
#wanted = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1, 1], batch_tile = [2, 1, 1], outer_tile = [1, 1, 1], thread_tile = [1, 2, 16], element_tile = [1, 1, 4], subgroup_strides = [0, 0, 0], thread_strides = [0, 16, 1]>
gpu.func @bytes(%x: memref<2x2x64xi8>, %y: memref<2x2x64xi8>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i8
  %0 = vector.transfer_read %x[%c0, %c0, %c0], %p {in_bounds = [true, true, true]} : memref<2x2x64xi8>, vector<2x2x64xi8>
  %1 = iree_vector_ext.to_layout %0 to layout(#held) : vector<2x2x64xi8>
  %2 = arith.addi %1, %1 : vector<2x2x64xi8>
  %3 = iree_vector_ext.to_layout %2 to layout(#wanted) : vector<2x2x64xi8>
  vector.transfer_write %3, %y[%c0, %c0, %c0] {in_bounds = [true, true, true]} : vector<2x2x64xi8>, memref<2x2x64xi8>
  gpu.return
}
