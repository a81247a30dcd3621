gpu.func @plain(%y: memref<3xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %i = gpu.block_id x
  %n = arith.index_cast %i : index to i32
  %v = vector.broadcast %n : i32 to vector<1xi32>
  vector.transfer_write %v, %y[%i] {in_bounds = [true]} : vector<1xi32>, memref<3xi32>
  gpu.return
}
