// Elements of two vectors in any order: interleaved, reversed, repeated, and left out.
// test roundtrip
// test run
// An element a lane: one shuffle for each of the two vectors, of which a lane takes one.
// expect sm_90: shuffles 2, loads 2, stores 1, barriers 0, shared bytes 0
// expect gfx942: shuffles 2, loads 2, stores 1, barriers 0, shared bytes 0
// lanewise.args x = index(8), y = index(8), z = empty(20); grid = 1
gpu.func @elements(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<20xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p : memref<8xf32>, vector<8xf32>
  %b0 = vector.transfer_read %y[%c0], %p : memref<8xf32>, vector<8xf32>
  %b = arith.mulf %b0, %b0 : vector<8xf32>
  %0 = vector.shuffle %a, %b [0, 8, 1, 9, 2, 10, 3, 11, 15, 14, 13, 12, 7, 7, 7, 6, 0, 0, 4, 8] : vector<8xf32>, vector<8xf32>
  vector.transfer_write %0, %z[%c0] : vector<20xf32>, memref<20xf32>
  gpu.return
}

// -----

// Rows of vectors of several dims, which may have different numbers of them.
// lanewise.args x = index(4, 48), y = index(2, 48), z = empty(5, 48); grid = 1
gpu.func @rows(%x: memref<4x48xi8>, %y: memref<2x48xi8>, %z: memref<5x48xi8>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i8
  %a = vector.transfer_read %x[%c0, %c0], %p : memref<4x48xi8>, vector<4x48xi8>
  %b = vector.transfer_read %y[%c0, %c0], %p : memref<2x48xi8>, vector<2x48xi8>
  %0 = vector.shuffle %a, %b [5, 0, 3, 3, 4] : vector<4x48xi8>, vector<2x48xi8>
  vector.transfer_write %0, %z[%c0, %c0] : vector<5x48xi8>, memref<5x48xi8>
  gpu.return
}

// -----

// Vectors of no dims give one element each; a mask of one row takes one operand only.
// lanewise.args x = index(2), z = empty(2), w = empty(16); grid = 1
gpu.func @no_dims(%x: memref<2xf32>, %z: memref<2xf32>, %w: memref<16xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0], %p : memref<2xf32>, vector<2xf32>
  %s = vector.extract %v[0] : f32 from vector<2xf32>
  %t = vector.extract %v[1] : f32 from vector<2xf32>
  %a = vector.broadcast %s : f32 to vector<f32>
  %b = vector.broadcast %t : f32 to vector<f32>
  %0 = vector.shuffle %a, %b [1, 0] : vector<f32>, vector<f32>
  vector.transfer_write %0, %z[%c0] : vector<2xf32>, memref<2xf32>
  %1 = vector.shuffle %v, %v [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3] : vector<2xf32>, vector<2xf32>
  vector.transfer_write %1, %w[%c0] : vector<16xf32>, memref<16xf32>
  gpu.return
}
