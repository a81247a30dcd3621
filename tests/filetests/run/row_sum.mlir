// The sum of each row of 96 integers, over lanes, over elements of a thread and over subgroups.
// test roundtrip
// test run M=1
// test run M=5 data=written,exact
// test run M=3 target=sm_70
// lanewise.args M = 4: x = integers(-1000000, 1000000, M, 96), y = empty(M); grid = M
#layout = #iree_vector_ext.nested_layout<
  subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [16], element_tile = [3],
  subgroup_strides = [1], thread_strides = [1]>

gpu.func @row_sum(%x: memref<?x96xi32>, %y: memref<?xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %row = gpu.block_id x
  %a = vector.transfer_read %x[%row, %c0], %zero {in_bounds = [true]} : memref<?x96xi32>, vector<96xi32>
  %al = iree_vector_ext.to_layout %a to layout(#layout) : vector<96xi32>
  %sum = vector.multi_reduction <add>, %al, %zero [0] : vector<96xi32> to i32
  %one = vector.broadcast %sum : i32 to vector<1xi32>
  vector.transfer_write %one, %y[%row] : vector<1xi32>, memref<?xi32>
  gpu.return
}
