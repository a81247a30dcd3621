#layout = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>

gpu.func @copy(%x: memref<32xf32>, %y: memref<32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %pad {in_bounds = [true]} : memref<32xf32>, vector<32xf32>
  %al = iree_vector_ext.to_layout %a to layout(#layout) : vector<32xf32>
  vector.transfer_write %al, %y[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  gpu.return
}
