// (12, 24) -> (8, 36): 6 * 6 threads with four neighbours each count on as 4 * 9 do, so nothing moves. The other threads
// of the 64 hold what the first do.
// test run
// expect sm_90: barriers 0, shuffles 0, shared bytes 0, spills 0, instructions <= 100
// expect gfx942: barriers 0, shuffles 0, shared bytes 0, spills 0, instructions <= 100
// expect gfx1201: barriers 0, shuffles 0, shared bytes 0, spills 0, instructions <= 100
// lanewise.args x = index(12, 24), y = empty(8, 36); grid = 1
gpu.func @f(%x: memref<12x24xf32>, %y: memref<8x36xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0, %c0], %p : memref<12x24xf32>, vector<12x24xf32>
  %1 = vector.shape_cast %0 : vector<12x24xf32> to vector<8x36xf32>
  %2 = arith.addf %1, %1 : vector<8x36xf32>
  vector.transfer_write %2, %y[%c0, %c0] : vector<8x36xf32>, memref<8x36xf32>
  gpu.return
}
// -----
// (7, 11) -> (11, 7): no layout can be read in both shapes, so the 77 elements move.
// test run
// expect sm_90: barriers 1, shared bytes >= 308, shared bytes <= 616, spills 0, instructions <= 400
// A workgroup of one subgroup needs no barrier.
// expect gfx942: barriers 0, shared bytes <= 616, spills 0, instructions <= 400
// expect gfx1201: barriers 1, shared bytes >= 308, shared bytes <= 616, spills 0, instructions <= 400
// lanewise.args x = index(7, 11), y = empty(11, 7); grid = 1
gpu.func @f(%x: memref<7x11xf32>, %y: memref<11x7xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0, %c0], %p : memref<7x11xf32>, vector<7x11xf32>
  %1 = vector.shape_cast %0 : vector<7x11xf32> to vector<11x7xf32>
  %2 = arith.addf %1, %1 : vector<11x7xf32>
  vector.transfer_write %2, %y[%c0, %c0] : vector<11x7xf32>, memref<11x7xf32>
  gpu.return
}
