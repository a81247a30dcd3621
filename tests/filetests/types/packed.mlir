// Elements of 2 and 4 bits share bytes of memory: a tile of 64x64 by 128 threads is 32 elements of a thread.
// test roundtrip
// test run target=sm_80 data=written,special
// test run target=sm_90
// test run target=gfx942 data=written,special
// test run target=gfx1100
// 64 * 64 / 2 bytes are 64 sectors, half of what bytes would take, read and written once; 32 elements are one access of
// 16 bytes each way.
// expect sm_90: sectors 128, loads 1, stores 1, atomics 0, conversions 0, shared bytes 0, spills 0
// expect gfx942: sectors 128, loads 1, stores 1, atomics 0, conversions 0, shared bytes 0, spills 0
// lanewise.args x = integers(-8, 7), y = empty()
gpu.func @doubled(%x: memref<64x64xi4>, %y: memref<64x64xi4>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i4
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xi4>, vector<64x64xi4>
  %b = arith.addi %a, %a : vector<64x64xi4>
  vector.transfer_write %b, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xi4>, memref<64x64xi4>
  gpu.return
}
// -----
// 64 * 64 / 4 bytes are 32 sectors, a quarter of what bytes would take; 32 elements are one access of 8 bytes each way.
// expect sm_90: sectors 64, loads 1, stores 1, atomics 0, conversions 0
// expect gfx1100: sectors 64, loads 1, stores 1, atomics 0, conversions 0
// lanewise.args x = integers(-2, 1), y = empty()
gpu.func @negated(%x: memref<64x64xi2>, %y: memref<64x64xi2>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i2
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xi2>, vector<64x64xi2>
  %zero = arith.constant dense<0> : vector<64x64xi2>
  %b = arith.subi %zero, %a : vector<64x64xi2>
  vector.transfer_write %b, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xi2>, memref<64x64xi2>
  gpu.return
}
// -----
// 64 sectors are read and 64 * 64 * 2 / 32 = 256 written.
// expect sm_90: sectors 320, atomics 0, conversions 0
// expect gfx942: sectors 320, atomics 0, conversions 0
// lanewise.args x = integers(-4, 4), y = empty()
gpu.func @extended(%x: memref<64x64xf4E2M1FN>, %y: memref<64x64xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f4E2M1FN
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf4E2M1FN>, vector<64x64xf4E2M1FN>
  %b = arith.extf %a : vector<64x64xf4E2M1FN> to vector<64x64xf16>
  vector.transfer_write %b, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf16>, memref<64x64xf16>
  gpu.return
}
// -----
// 64 * 64 * 4 / 32 = 512 sectors are read and 64 written.
// expect sm_90: sectors 576, atomics 0, conversions 0
// expect gfx942: sectors 576, atomics 0, conversions 0
// lanewise.args x = normal(scale=3), y = empty()
gpu.func @rounded(%x: memref<64x64xf32>, %y: memref<64x64xf4E2M1FN>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %b = arith.truncf %a : vector<64x64xf32> to vector<64x64xf4E2M1FN>
  vector.transfer_write %b, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf4E2M1FN>, memref<64x64xf4E2M1FN>
  gpu.return
}
// -----
// Extended and scaled, as weights are: 64 sectors are read and 512 written. Stores of 16 bytes want four elements a thread,
// which are two bytes of a load: 32 / 4 each way.
// expect sm_90: sectors 576, loads 8, stores 8, atomics 0, conversions 0
// lanewise.args x = integers(-8, 7), y = empty()
gpu.func @unsigned(%x: memref<64x64xi4>, %y: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i4
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xi4>, vector<64x64xi4>
  %f = arith.uitofp %a : vector<64x64xi4> to vector<64x64xf32>
  %s = arith.constant dense<0.125> : vector<64x64xf32>
  %b = arith.mulf %f, %s : vector<64x64xf32>
  vector.transfer_write %b, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
