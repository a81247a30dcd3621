// Every other element: with pairs in one thread nothing moves.
// test roundtrip
// test run
// test run target=gfx942
// test run target=sm_80
// test run target=gfx1100
// lanewise.args x = index(256), y = empty(256); grid = 1
// expect sm_90: shuffles 0, barriers 0
// expect gfx942: shuffles 0, barriers 0
gpu.func @swapped(%x: memref<256xf32>, %y: memref<256xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p : memref<256xf32>, vector<256xf32>
  %e, %o = vector.deinterleave %a : vector<256xf32> -> vector<128xf32>
  %b = vector.interleave %o, %e : vector<128xf32> -> vector<256xf32>
  vector.transfer_write %b, %y[%c0] : vector<256xf32>, memref<256xf32>
  gpu.return
}

// -----

// Odd numbers of pairs, several dims, packs of bytes.
// lanewise.args x = index(3, 10), y = index(3, 10), z = empty(3, 20), w = empty(3, 5); grid = 1
gpu.func @uneven(%x: memref<3x10xi8>, %y: memref<3x10xi8>, %z: memref<3x20xi8>, %w: memref<3x5xi8>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i8
  %a = vector.transfer_read %x[%c0, %c0], %p : memref<3x10xi8>, vector<3x10xi8>
  %b = vector.transfer_read %y[%c0, %c0], %p : memref<3x10xi8>, vector<3x10xi8>
  %c = arith.addi %b, %b : vector<3x10xi8>
  %0 = vector.interleave %a, %c : vector<3x10xi8> -> vector<3x20xi8>
  vector.transfer_write %0, %z[%c0, %c0] : vector<3x20xi8>, memref<3x20xi8>
  %e, %o = vector.deinterleave %a : vector<3x10xi8> -> vector<3x5xi8>
  %d = arith.subi %e, %o : vector<3x5xi8>
  vector.transfer_write %d, %w[%c0, %c0] : vector<3x5xi8>, memref<3x5xi8>
  gpu.return
}
