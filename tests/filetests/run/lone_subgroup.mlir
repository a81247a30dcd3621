// A subgroup's program in a workgroup of one subgroup: what it transposes goes by shuffles, as in any other.
// test run
// lanewise.args x = index(32, 32), y = empty(32, 32); grid = 1
#L = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [32, 1], outer_tile = [1, 1], thread_tile = [1, 32],
  element_tile = [1, 1], subgroup_strides = [0, 0], thread_strides = [0, 1]>
gpu.func @f(%x: memref<32x32xi32>, %y: memref<32x32xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "subgroup"} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i32
  %0 = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xi32>, vector<32x32xi32>
  %1 = iree_vector_ext.to_layout %0 to layout(#L) : vector<32x32xi32>
  %2 = vector.transpose %1, [1, 0] : vector<32x32xi32> to vector<32x32xi32>
  %3 = iree_vector_ext.to_layout %2 to layout(#L) : vector<32x32xi32>
  vector.transfer_write %3, %y[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xi32>, memref<32x32xi32>
  gpu.return
}
