// x + transpose(x) of a tile that fills the whole of a chip's shared memory: 128 * 128 * 4 = 65,536 bytes.
// It failed where padded rows were the only way around bank conflicts.
// test run target=gfx942
// test run target=sm_75
// expect gfx942: shared bytes 65536, bank conflicts 0
// expect sm_75: shared bytes 65536, bank conflicts 0
// lanewise.args x = index(128, 128), o = empty(128, 128); grid = 1
gpu.func @f(%X: memref<128x128xf32>, %O: memref<128x128xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %x = vector.transfer_read %X[%c0, %c0], %p {in_bounds = [true, true]} : memref<128x128xf32>, vector<128x128xf32>
  %t = vector.transpose %x, [1, 0] : vector<128x128xf32> to vector<128x128xf32>
  %y = arith.addf %x, %t : vector<128x128xf32>
  vector.transfer_write %y, %O[%c0, %c0] {in_bounds = [true, true]} : vector<128x128xf32>, memref<128x128xf32>
  gpu.return
}
