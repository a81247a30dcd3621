// y = factor * x; sizes below, at and above a subgroup, a workgroup and several of them.
// test roundtrip
// test run N=1
// test run N=31
// test run N=64
// test run N=1000 data=written,exact,special
// lanewise.args N = 100: x = normal(N), y = empty(N), 2.5; grid = ceildiv(N, 64)
#layout = #iree_vector_ext.nested_layout<
  subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [1], thread_strides = [1]>

gpu.func @scale(%x: memref<?xf32>, %y: memref<?xf32>, %factor: f32) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %pad = arith.constant 0.0 : f32
  %tile = arith.constant 64 : index
  %block = gpu.block_id x
  %start = arith.muli %block, %tile : index
  %a = vector.transfer_read %x[%start], %pad : memref<?xf32>, vector<64xf32>
  %al = iree_vector_ext.to_layout %a to layout(#layout) : vector<64xf32>
  %f = vector.broadcast %factor : f32 to vector<64xf32>
  %product = arith.mulf %al, %f : vector<64xf32>
  vector.transfer_write %product, %y[%start] : vector<64xf32>, memref<?xf32>
  gpu.return
}
