// A cast to the shape that a vector has, between an anchor and another that repeats it in every thread, changes nothing.
// test run
// test run target=gfx1100
// lanewise.args x = index(48), y = empty(24); grid = 1
#spread = #iree_vector_ext.nested_layout<subgroup_tile = [3], batch_tile = [1], outer_tile = [2], thread_tile = [2],
  element_tile = [2], subgroup_strides = [1], thread_strides = [1]>
#copied = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [4], outer_tile = [3], thread_tile = [1],
  element_tile = [2], subgroup_strides = [0], thread_strides = [0]>
gpu.func @k(%x: memref<48xi8>, %y: memref<24xi8>) kernel
    attributes {gpu.known_block_size = array<i32: 96, 1, 1>, lanewise.subgroup_size = 32 : i64} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i8
  %v = vector.transfer_read %x[%c0], %p : memref<48xi8>, vector<24xi8>
  %l = iree_vector_ext.to_layout %v to layout(#spread) : vector<24xi8>
  %w = vector.shape_cast %l : vector<24xi8> to vector<24xi8>
  %m = iree_vector_ext.to_layout %w to layout(#copied) : vector<24xi8>
  vector.transfer_write %m, %y[%c0] : vector<24xi8>, memref<24xi8>
  gpu.return
}
