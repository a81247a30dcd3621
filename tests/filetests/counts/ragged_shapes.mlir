// Shapes that do not fill their vectors: accesses are as wide as is proven, and no wider.
// test run
// Rows of 61 floats begin at no multiple of 16 bytes: an element a thread, 32 neighbours an access of a warp. A row is read
// in 32 + 29 elements; with rows beginning at 61 * 4 * r the accesses touch 572 sectors in all, each way.
// Accesses of four would touch four times as many.
// expect sm_90: sectors 1144, loads 32, stores 32, conversions 0
// lanewise.args M = 61, N = 61: x = index(M, N), y = empty(M, N); grid = 1
gpu.func @ragged(%x: memref<?x?xf32>, %y: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p : memref<?x?xf32>, vector<64x64xf32>
  %b = arith.addf %a, %a : vector<64x64xf32>
  vector.transfer_write %b, %y[%c0, %c0] : vector<64x64xf32>, memref<?x?xf32>
  gpu.return
}
// -----
// The same program with rows of 64: 8 accesses of 16 bytes, 512 sectors each way; of 40: 40 * 4 = 160 bytes, 5 sectors a row.
// expect sm_90: sectors 1024, loads 8, stores 8, conversions 0
// expect gfx942: sectors 1024, loads 8, stores 8, conversions 0
// expect sm_90 N=40: sectors 640, loads 8, stores 8, conversions 0
// expect gfx942 N=40: sectors 640, loads 8, stores 8, conversions 0
// lanewise.args M = 64, N = 64: x = index(M, N), y = empty(M, N); grid = 1
gpu.func @ragged(%x: memref<?x?xf32>, %y: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p : memref<?x?xf32>, vector<64x64xf32>
  %b = arith.addf %a, %a : vector<64x64xf32>
  vector.transfer_write %b, %y[%c0, %c0] : vector<64x64xf32>, memref<?x?xf32>
  gpu.return
}
// -----
// 999 floats from an aligned address, 1024 threads' worth by 256 threads, one element an access: 999 * 4 / 32 is 125 sectors.
// 1000 is a multiple of 4, so accesses have 16 bytes: 125 sectors, too.
// expect sm_90: sectors 250, loads 4, stores 4, conversions 0
// expect sm_90 N=1000: sectors 250, loads 1, stores 1, conversions 0
// expect gfx942 N=1000: sectors 250, loads 1, stores 1, conversions 0
// lanewise.args N = 999: x = index(N), y = empty(N); grid = 1
gpu.func @ragged(%x: memref<?xf32>, %y: memref<?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p : memref<?xf32>, vector<1024xf32>
  vector.transfer_write %a, %y[%c0] : vector<1024xf32>, memref<?xf32>
  gpu.return
}
// -----
// 40 of 64 columns are there: 64 * 160 / 32 = 320 sectors each way, still with accesses of 16 bytes.
// expect sm_90: sectors 640, loads 8, stores 8, conversions 0
// expect gfx942: sectors 640, loads 8, stores 8, conversions 0
// lanewise.args x = index(64, 40), y = empty(64, 40); grid = 1
gpu.func @part(%x: memref<64x40xf32>, %y: memref<64x40xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, false]} : memref<64x40xf32>, vector<64x64xf32>
  vector.transfer_write %a, %y[%c0, %c0] {in_bounds = [true, false]} : vector<64x64xf32>, memref<64x40xf32>
  gpu.return
}
// -----
// A mask of 16 rows: 16 * 64 * 4 / 32 = 128 sectors each way, whatever the layout; masks are made in every thread.
// expect sm_90: sectors 256, conversions 0, shuffles 0
// expect gfx942: sectors 256, conversions 0, shuffles 0
// lanewise.args x = index(64, 64), y = zeros(64, 64), 16; grid = 1
gpu.func @masked(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %c64 = arith.constant 64 : index
  %m = vector.create_mask %n, %c64 : vector<64x64xi1>
  %a = vector.transfer_read %x[%c0, %c0], %p, %m {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  vector.transfer_write %a, %y[%c0, %c0], %m {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
