// A tile of 64x64 floats is read and written along its rows by 128 threads: 32 elements of a thread, four an access.
// test roundtrip
// test run
// 64 * 64 * 4 bytes are 512 sectors, read once and written once; 64 * 64 / 128 / 4 = 8 accesses of 16 bytes each way.
// expect sm_90: sectors 1024, loads 8, stores 8, conversions 0, shuffles 0, barriers 0, shared bytes 0, spills 0
// expect gfx942: sectors 1024, loads 8, stores 8, conversions 0, shuffles 0, barriers 0, shared bytes 0, spills 0
// expect gfx1100: sectors 1024, loads 8, stores 8, conversions 0, shuffles 0, barriers 0, shared bytes 0, spills 0
// lanewise.args x = index(64, 64), y = empty(64, 64); grid = 1
gpu.func @widths(%x: memref<64x64xf32>, %y: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %b = arith.addf %a, %a : vector<64x64xf32>
  vector.transfer_write %b, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
