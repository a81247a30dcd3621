// Constants of a thread have no axis over threads.
// test run
// test run target=gfx942
// test run target=sm_80
// test run target=gfx1100
// lanewise.args y = empty(64); grid = 1
gpu.func @m(%y: memref<64xi32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<3> : vector<64xi32>
  %b = arith.constant dense<0> : vector<64xi32>
  %lo, %hi = arith.mului_extended %b, %a : vector<64xi32>
  vector.transfer_write %hi, %y[%c0] {in_bounds = [true]} : vector<64xi32>, memref<64xi32>
  gpu.return
}
