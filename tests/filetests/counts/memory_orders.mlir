// Layouts of transfers follow memory: whole sectors, accesses of 16 bytes, nothing moved between threads.
// test run
// 64 * 64 * 2 / 32 = 256 sectors each way; 64 * 64 / 128 / 8 = 4 accesses of 16 bytes each way.
// expect sm_90: sectors 512, loads 4, stores 4, conversions 0, shuffles 0, shared bytes 0
// expect gfx942: sectors 512, loads 4, stores 4, conversions 0, shuffles 0, shared bytes 0
// lanewise.args x = index(64, 64), y = empty(64, 64); grid = 1
gpu.func @copy(%x: memref<64x64xf16>, %y: memref<64x64xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf16>, vector<64x64xf16>
  vector.transfer_write %a, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf16>, memref<64x64xf16>
  gpu.return
}
// -----
// 64 * 64 * 1 / 32 = 128 sectors each way; 64 * 64 / 128 / 16 = 2 accesses of 16 bytes each way.
// expect sm_90: sectors 256, loads 2, stores 2, conversions 0, shuffles 0, shared bytes 0
// expect gfx942: sectors 256, loads 2, stores 2, conversions 0, shuffles 0, shared bytes 0
// lanewise.args x = index(64, 64), y = empty(64, 64); grid = 1
gpu.func @copy(%x: memref<64x64xi8>, %y: memref<64x64xi8>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i8
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xi8>, vector<64x64xi8>
  vector.transfer_write %a, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xi8>, memref<64x64xi8>
  gpu.return
}
// -----
// 64 * 64 * 8 / 32 = 1024 sectors each way; 64 * 64 / 128 / 2 = 16 accesses of 16 bytes each way.
// expect sm_90: sectors 2048, loads 16, stores 16, conversions 0, shuffles 0, shared bytes 0
// expect gfx942: sectors 2048, loads 16, stores 16, conversions 0, shuffles 0, shared bytes 0
// lanewise.args x = index(64, 64), y = empty(64, 64); grid = 1
gpu.func @copy(%x: memref<64x64xf64>, %y: memref<64x64xf64>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f64
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf64>, vector<64x64xf64>
  vector.transfer_write %a, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf64>, memref<64x64xf64>
  gpu.return
}
// -----
// Three dimensions, the last 16 elements long: 4 * 32 * 16 * 4 / 32 = 256 sectors each way, 2048 / 128 / 4 = 4 accesses.
// expect sm_90: sectors 512, loads 4, stores 4, conversions 0
// expect gfx1100: sectors 512, loads 4, stores 4, conversions 0
// lanewise.args x = index(4, 32, 16), y = empty(4, 32, 16); grid = 1
gpu.func @copy(%x: memref<4x32x16xf32>, %y: memref<4x32x16xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0, %c0], %p {in_bounds = [true, true, true]}
      : memref<4x32x16xf32>, vector<4x32x16xf32>
  vector.transfer_write %a, %y[%c0, %c0, %c0] {in_bounds = [true, true, true]}
      : vector<4x32x16xf32>, memref<4x32x16xf32>
  gpu.return
}
// -----
// The last dimension has one element: 512 * 4 / 32 = 64 sectors each way, along the first dimension.
// expect sm_90: sectors 128, conversions 0, loads <= 4
// expect gfx942: sectors 128, conversions 0, loads <= 4
// lanewise.args x = index(512, 1), y = empty(512, 1); grid = 1
gpu.func @copy(%x: memref<512x1xf32>, %y: memref<512x1xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<512x1xf32>, vector<512x1xf32>
  vector.transfer_write %a, %y[%c0, %c0] {in_bounds = [true, true]} : vector<512x1xf32>, memref<512x1xf32>
  gpu.return
}
// -----
// Rows begin every 68 * 4 = 272 bytes, a multiple of 16: accesses stay wide. An access of a warp reads two rows of 256
// bytes; the odd one begins in the middle of a sector: 8 + 9 sectors, 32 times; 512 sectors are written.
// expect sm_90: sectors 1056, loads 8, stores 8, conversions 0
// lanewise.args x = index(64, 64), y = empty(64, 64); grid = 1
gpu.func @copy(%x: memref<64x64xf32, strided<[68, 1]>>, %y: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]}
      : memref<64x64xf32, strided<[68, 1]>>, vector<64x64xf32>
  vector.transfer_write %a, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// Fewer elements than threads: every subgroup reads the 32 * 4 / 32 = 4 sectors, one of them writes. Of 128 threads there
// are 4 subgroups, of 64 lanes 2.
// expect sm_90: sectors 20, loads 1, stores 1, conversions 0
// expect gfx942: sectors 12, loads 1, stores 1, conversions 0
// expect gfx1100: sectors 20, loads 1, stores 1, conversions 0
// lanewise.args x = index(32), y = empty(32); grid = 1
gpu.func @copy(%x: memref<32xf32>, %y: memref<32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<32xf32>, vector<32xf32>
  vector.transfer_write %a, %y[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  gpu.return
}
// -----
// 48 is no power of two: 48 * 64 * 4 / 32 = 384 sectors each way, 48 * 64 / 128 / 4 = 6 accesses each way.
// expect sm_90: sectors 768, loads 6, stores 6, conversions 0
// expect gfx942: sectors 768, loads 6, stores 6, conversions 0
// lanewise.args x = index(48, 64), y = empty(48, 64); grid = 1
gpu.func @copy(%x: memref<48x64xf32>, %y: memref<48x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<48x64xf32>, vector<48x64xf32>
  vector.transfer_write %a, %y[%c0, %c0] {in_bounds = [true, true]} : vector<48x64xf32>, memref<48x64xf32>
  gpu.return
}
// -----
// Rows of 48 floats: 64 * 48 * 4 / 32 = 384 sectors each way, and 64 * 48 / 128 / 4 = 6 accesses of 16 bytes.
// expect sm_90: sectors 768, loads 6, stores 6, conversions 0
// expect gfx942: sectors 768, loads 6, stores 6, conversions 0
// lanewise.args x = index(64, 48), y = empty(64, 48); grid = 1
gpu.func @copy(%x: memref<64x48xf32>, %y: memref<64x48xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x48xf32>, vector<64x48xf32>
  vector.transfer_write %a, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x48xf32>, memref<64x48xf32>
  gpu.return
}
