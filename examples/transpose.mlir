// y = transpose(x), 64x64 tiles, any size.
//
// Reading and writing are coalesced along rows of x and of y; between them the tile changes its owners through shared
// memory, in an order that meets no bank conflict.
// lanewise.args M = 200, N = 130 : x = normal(M, N), y = empty(N, M) ; grid = (ceildiv(N, 64), ceildiv(M, 64), 1)
#rows = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [2, 2], outer_tile = [1, 1], thread_tile = [32, 8], element_tile = [1, 4],
  subgroup_strides = [0, 0], thread_strides = [8, 1]>

gpu.func @transpose(%x: memref<?x?xf32>, %y: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %block_x = gpu.block_id x
  %block_y = gpu.block_id y
  %column = arith.muli %block_x, %c64 : index
  %row = arith.muli %block_y, %c64 : index
  %0 = vector.transfer_read %x[%row, %column], %zero : memref<?x?xf32>, vector<64x64xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#rows) : vector<64x64xf32>
  %2 = vector.transpose %1, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
  %3 = iree_vector_ext.to_layout %2 to layout(#rows) {shared_memory_conversion} : vector<64x64xf32>
  vector.transfer_write %3, %y[%column, %row] : vector<64x64xf32>, memref<?x?xf32>
  gpu.return
}
