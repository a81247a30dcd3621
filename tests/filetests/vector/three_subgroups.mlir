// A layout over two of three subgroups: the third holds what the first holds.
// test run
// test run target=gfx1100
// lanewise.args o = empty(8, 128); grid = 1
gpu.func @f(%o: memref<8x128xbf16>) kernel attributes {gpu.known_block_size = array<i32: 96, 1, 1>, lanewise.subgroup_size = 32 : i64} {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<1.0> : vector<8x128xbf16>
  %a = iree_vector_ext.to_layout %v to layout(#iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [1, 2], outer_tile = [1, 1],
    thread_tile = [2, 16], element_tile = [2, 4], subgroup_strides = [2, 0], thread_strides = [16, 1]>) : vector<8x128xbf16>
  vector.transfer_write %a, %o[%c0, %c0] : vector<8x128xbf16>, memref<8x128xbf16>
  gpu.return
}

// -----
// Reduced over what two of the three subgroups hold, and moved to a layout of all three.
// lanewise.args x = index(8, 128), o = empty(128), p = empty(8, 128); grid = 1
gpu.func @reduced(%x: memref<8x128xf32>, %o: memref<128xf32>, %p: memref<8x128xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 96, 1, 1>, lanewise.subgroup_size = 32 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<128xf32>
  %v = vector.transfer_read %x[%c0, %c0], %zero {in_bounds = [true, true]} : memref<8x128xf32>, vector<8x128xf32>
  %a = iree_vector_ext.to_layout %v to layout(#iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [1, 2], outer_tile = [1, 1],
    thread_tile = [2, 16], element_tile = [2, 4], subgroup_strides = [2, 0], thread_strides = [16, 1]>) : vector<8x128xf32>
  %s = vector.multi_reduction <add>, %a, %zeros [0] : vector<8x128xf32> to vector<128xf32>
  vector.transfer_write %s, %o[%c0] {in_bounds = [true]} : vector<128xf32>, memref<128xf32>
  %t = iree_vector_ext.to_layout %a to layout(#iree_vector_ext.nested_layout<subgroup_tile = [1, 2], batch_tile = [1, 1], outer_tile = [1, 1],
    thread_tile = [8, 4], element_tile = [1, 16], subgroup_strides = [0, 1], thread_strides = [4, 1]>) : vector<8x128xf32>
  vector.transfer_write %t, %p[%c0, %c0] {in_bounds = [true, true]} : vector<8x128xf32>, memref<8x128xf32>
  gpu.return
}
