// What is at a position beyond the vector's end is poison: nobody compares it, and nothing else is touched.
// test run i=1024
// test run i=-3
// test run i=7
// test run target=gfx942 i=1024
// test run target=gfx1100 i=-3
// lanewise.args i = 300 : x = integers(-9, 9, 256), y = empty(256), i; grid = 1
gpu.func @f(%x: memref<256xf32>, %y: memref<256xf32>, %i: index) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<256xf32>, vector<256xf32>
  %s = vector.extract %v[%i] : f32 from vector<256xf32>
  %w = vector.insert %s, %v[100] : f32 into vector<256xf32>
  vector.transfer_write %w, %y[%c0] {in_bounds = [true]} : vector<256xf32>, memref<256xf32>
  gpu.return
}
