// Seven of eight loaded elements are used: LLVM's combining trims the load of buffers that are near and aligned.
// test run
// test run target=gfx90a
// test run target=gfx942
// test run target=gfx1100
// test run target=gfx1201
// lanewise.args x = integers(-3, 3, 11, 16), y = empty(8, 16); grid = 1
gpu.func @of_i16(%x: memref<11x16xi16>, %y: memref<?x?xi16>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 1 : i16
  %k = arith.constant dense<1> : vector<16xi16>
  %0 = vector.transfer_read %x[%c0, %c0], %p {permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<11x16xi16>, vector<8x16xi16>
  %1 = iree_vector_ext.to_layout %0 to layout(#iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [8, 1],
    outer_tile = [1, 1], thread_tile = [1, 16], element_tile = [1, 1], subgroup_strides = [0, 0], thread_strides = [0, 1]>) : vector<8x16xi16>
  %2 = vector.insert %k, %1[0] : vector<16xi16> into vector<8x16xi16>
  vector.transfer_write %2, %y[%c0, %c0] : vector<8x16xi16>, memref<?x?xi16>
  gpu.return
}
// -----
// lanewise.args x = integers(-3, 3, 11, 16), y = empty(8, 16); grid = 1
gpu.func @of_f16(%x: memref<11x16xf16>, %y: memref<?x?xf16>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 1.0 : f16
  %k = arith.constant dense<1.0> : vector<16xf16>
  %0 = vector.transfer_read %x[%c0, %c0], %p {permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<11x16xf16>, vector<8x16xf16>
  %1 = iree_vector_ext.to_layout %0 to layout(#iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [8, 1],
    outer_tile = [1, 1], thread_tile = [1, 16], element_tile = [1, 1], subgroup_strides = [0, 0], thread_strides = [0, 1]>) : vector<8x16xf16>
  %2 = vector.insert %k, %1[0] : vector<16xf16> into vector<8x16xf16>
  vector.transfer_write %2, %y[%c0, %c0] : vector<8x16xf16>, memref<?x?xf16>
  gpu.return
}
// -----
// lanewise.args x = integers(-3, 3, 11, 16), y = empty(8, 16); grid = 1
gpu.func @of_bf16(%x: memref<11x16xbf16>, %y: memref<?x?xbf16>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 1.0 : bf16
  %k = arith.constant dense<1.0> : vector<16xbf16>
  %0 = vector.transfer_read %x[%c0, %c0], %p {permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<11x16xbf16>, vector<8x16xbf16>
  %1 = iree_vector_ext.to_layout %0 to layout(#iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [8, 1],
    outer_tile = [1, 1], thread_tile = [1, 16], element_tile = [1, 1], subgroup_strides = [0, 0], thread_strides = [0, 1]>) : vector<8x16xbf16>
  %2 = vector.insert %k, %1[0] : vector<16xbf16> into vector<8x16xbf16>
  vector.transfer_write %2, %y[%c0, %c0] : vector<8x16xbf16>, memref<?x?xbf16>
  gpu.return
}
