// The old value of a subgroup's update is all its lanes', of any width: it goes by a shuffle, without shared memory.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// expect sm_90: barriers 0, shared bytes 0
// lanewise.args y = zeros(33), h = zeros(33), w = zeros(33) ; grid = 1
gpu.func @kinds(%y: memref<33xf32>, %h: memref<33xf16>, %w: memref<33xi64>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.5 : f32
  %g = arith.constant 2.5 : f16
  %big = arith.constant 4294967299 : i64
  %y0 = memref.atomic_rmw addf %f, %y[%c0] : (f32, memref<33xf32>) -> f32
  %y1 = memref.atomic_rmw addf %f, %y[%c0] : (f32, memref<33xf32>) -> f32
  %h0 = memref.generic_atomic_rmw %h[%c0] : memref<33xf16> {
  ^bb0(%c: f16):
    %d = arith.addf %c, %g : f16
    memref.atomic_yield %d : f16
  }
  %h1 = memref.generic_atomic_rmw %h[%c0] : memref<33xf16> {
  ^bb0(%c: f16):
    %d = arith.addf %c, %g : f16
    memref.atomic_yield %d : f16
  }
  %w0 = memref.atomic_rmw assign %big, %w[%c0] : (i64, memref<33xi64>) -> i64
  %w1 = memref.atomic_rmw addi %w0, %w[%c0] : (i64, memref<33xi64>) -> i64
  %ys = vector.broadcast %y1 : f32 to vector<32xf32>
  %hs = vector.broadcast %h1 : f16 to vector<32xf16>
  %ws = vector.broadcast %w1 : i64 to vector<32xi64>
  vector.transfer_write %ys, %y[%c1] {in_bounds = [true]} : vector<32xf32>, memref<33xf32>
  vector.transfer_write %hs, %h[%c1] {in_bounds = [true]} : vector<32xf16>, memref<33xf16>
  vector.transfer_write %ws, %w[%c1] {in_bounds = [true]} : vector<32xi64>, memref<33xi64>
  gpu.return
}
