// Barriers on values change none of them, and order the memory around them.
// test roundtrip
// test run
// test run target=gfx942
// test run target=sm_80
// test run target=gfx1100
// lanewise.args x = normal(8, 64), y = empty(8, 64), z = empty(8, 64)
// One barrier for the value, two around the region; nothing moves between threads.
// expect sm_90: barriers 3, shuffles 0
gpu.func @f(%x: memref<8x64xf32>, %y: memref<8x64xf32>, %z: memref<8x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x64xf32>, vector<8x64xf32>
  %w:2 = iree_gpu.value_barrier %v, %v : vector<8x64xf32>, vector<8x64xf32>
  vector.transfer_write %w#0, %y[%c0, %c0] {in_bounds = [true, true]} : vector<8x64xf32>, memref<8x64xf32>
  %s = iree_gpu.barrier_region ins(%w#1 : vector<8x64xf32>) {
  ^bb0(%u: vector<8x64xf32>):
    %t = arith.addf %u, %u : vector<8x64xf32>
    iree_gpu.yield %t : vector<8x64xf32>
  } : vector<8x64xf32>
  vector.transfer_write %s, %z[%c0, %c0] {in_bounds = [true, true]} : vector<8x64xf32>, memref<8x64xf32>
  gpu.return
}
