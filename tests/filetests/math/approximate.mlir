// Liberties of single operations, which are obeyed: the chips' instructions for functions and reciprocals, no care for NaN.
// test roundtrip
// test run
// test run target=gfx942
// A thread has four elements. tanh takes one multiply-add each, and nothing is chosen by comparing.
// expect sm_80: fma 4, selects 0
// expect gfx942: fma 4, selects 0
// lanewise.args x = normal(256), y = empty(256), z = empty(256); grid = 1
gpu.func @approximate(%x: memref<256xf32>, %y: memref<256xf32>, %z: memref<256xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %0 = vector.transfer_read %x[%c0], %zero {in_bounds = [true]} : memref<256xf32>, vector<256xf32>
  %max = vector.multi_reduction <maximumf>, %0, %low {fastmath = #arith.fastmath<nnan>} [0] : vector<256xf32> to f32
  %maxima = vector.broadcast %max : f32 to vector<256xf32>
  %1 = arith.subf %0, %maxima : vector<256xf32>
  %2 = math.exp %1 fastmath<afn> : vector<256xf32>
  %3 = arith.divf %2, %maxima fastmath<afn> : vector<256xf32>
  vector.transfer_write %3, %y[%c0] {in_bounds = [true]} : vector<256xf32>, memref<256xf32>
  %4 = math.tanh %0 fastmath<afn,contract> : vector<256xf32>
  %5 = math.rsqrt %2 fastmath<afn> : vector<256xf32>
  %6 = arith.maximumf %4, %5 fastmath<nnan> : vector<256xf32>
  vector.transfer_write %6, %z[%c0] {in_bounds = [true]} : vector<256xf32>, memref<256xf32>
  gpu.return
}
