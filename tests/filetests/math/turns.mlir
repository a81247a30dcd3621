// Sines and cosines of large numbers: the chips' instructions are off by more the larger they are, so `afn` leaves them.
// test run target=gfx942
// test run target=sm_90
// lanewise.args x = uniform(64, low = -1.0e4, high = 1.0e4), y0 = empty(64); grid = 1
gpu.func @k(%x: memref<64xf32>, %y0: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %r0 = math.sin %a fastmath<afn> : vector<64xf32>
  %r1 = math.cos %r0 fastmath<fast> : vector<64xf32>
  vector.transfer_write %r1, %y0[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
