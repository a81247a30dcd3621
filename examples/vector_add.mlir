// z = x + y over N elements; the last workgroup's tail is masked by the transfers' bounds.
// lanewise.args N = 1000 : x = normal(N), y = normal(N), z = empty(N) ; grid = (ceildiv(N, 1024), 1, 1)
#layout = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [256], element_tile = [4],
  subgroup_strides = [0], thread_strides = [1]>

gpu.func @vector_add(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %pad = arith.constant 0.0 : f32
  %tile = arith.constant 1024 : index
  %block = gpu.block_id x
  %start = arith.muli %block, %tile : index
  %a = vector.transfer_read %x[%start], %pad : memref<?xf32>, vector<1024xf32>
  %b = vector.transfer_read %y[%start], %pad : memref<?xf32>, vector<1024xf32>
  %al = iree_vector_ext.to_layout %a to layout(#layout) : vector<1024xf32>
  %sum = arith.addf %al, %b : vector<1024xf32>
  vector.transfer_write %sum, %z[%start] : vector<1024xf32>, memref<?xf32>
  gpu.return
}
