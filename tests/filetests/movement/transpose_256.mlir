// x + transpose(x) of 262,144 bytes: more than the chip has, so the exchange goes in four pieces through two buffers.
// One barrier a piece: while one buffer is read, the other is filled.
// test run target=sm_90
// expect sm_90: shared bytes 131072, barriers 4, bank conflicts 0
// lanewise.args x = index(256, 256), o = empty(256, 256); grid = 1
gpu.func @f(%X: memref<256x256xf32>, %O: memref<256x256xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %x = vector.transfer_read %X[%c0, %c0], %p {in_bounds = [true, true]} : memref<256x256xf32>, vector<256x256xf32>
  %t = vector.transpose %x, [1, 0] : vector<256x256xf32> to vector<256x256xf32>
  %y = arith.addf %x, %t : vector<256x256xf32>
  vector.transfer_write %y, %O[%c0, %c0] {in_bounds = [true, true]} : vector<256x256xf32>, memref<256x256xf32>
  gpu.return
}
