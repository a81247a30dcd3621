// 1024 elements into the middle of 2738: 37 has no power of two, so 2 * 37 threads hold 37 elements each instead of two
// threads 1369 each. The other threads read along: of 37 accesses each of 8 subgroups touches at most 6 sectors (4 of 64
// lanes 9), and the writers touch 12; x has 128. Who takes an element from x is said by bits in constants.
// test run
// expect sm_90: instructions <= 600, spills 0, barriers 1, sectors <= 2348, shared bytes 4096
// expect gfx942: instructions <= 600, spills 0, barriers 1, sectors <= 2348, shared bytes 4096
// expect gfx1100: instructions <= 600, spills 0, barriers 1, sectors <= 2348, shared bytes 4096
// lanewise.args x = normal(32, 32), y = normal(2, 37, 37); grid = 1
gpu.func @insert(%x: memref<32x32xf32>, %y: memref<2x37x37xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf32>, vector<32x32xf32>
  %b = vector.transfer_read %y[%c0, %c0, %c0], %p {in_bounds = [true, true, true]} : memref<2x37x37xf32>, vector<2x37x37xf32>
  %r = vector.insert_strided_slice %a, %b {offsets = [1, 3, 2], strides = [1, 1]} : vector<32x32xf32> into vector<2x37x37xf32>
  vector.transfer_write %r, %y[%c0, %c0, %c0] {in_bounds = [true, true, true]} : vector<2x37x37xf32>, memref<2x37x37xf32>
  gpu.return
}
