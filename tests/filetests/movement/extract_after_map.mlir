// One element is taken of a vector that is stored, too: its producer stays where it is (1024 / 128 = 8 exponentials a
// thread), and the element reaches all threads through four bytes of shared memory.
// test run
// expect sm_90: barriers 1, shared bytes 4, instructions <= 400
// expect gfx942: barriers 1, shared bytes 4, instructions <= 400
// expect gfx1100: barriers 1, shared bytes 4, instructions <= 400
// lanewise.args x = normal(1024), y = empty(1), z = empty(1024); grid = 1
gpu.func @f(%x: memref<1024xf32>, %y: memref<1xf32>, %z: memref<1024xf32>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0], %p : memref<1024xf32>, vector<1024xf32>
  %1 = math.exp %0 : vector<1024xf32>
  %2 = vector.extract %1[5] : f32 from vector<1024xf32>
  memref.store %2, %y[%c0] : memref<1xf32>
  vector.transfer_write %1, %z[%c0] : vector<1024xf32>, memref<1024xf32>
  gpu.return
}
