// f8E5M2 is the upper half of an f16: no instruction compares or chooses, on chips that convert it and on those that do not.
// test run
// Four elements a thread, loaded and stored at once: 2. Each is taken out of the word (sm: 7, as the first is its lower half),
// shifted and converted, 4 * 2. Beside them are on sm arguments, the thread's number, addresses and the end, 9; on AMD
// arguments, offsets, waits and the end, 6, and gfx1100's hints to its scheduler, 3.
// expect sm_80: casts 4, selects 0, loads 1, stores 1, instructions <= 26
// expect sm_90: casts 4, selects 0, loads 1, stores 1, instructions <= 26
// expect gfx90a: casts 4, selects 0, loads 1, stores 1, instructions <= 19
// expect gfx1100: casts 4, selects 0, loads 1, stores 1, instructions <= 22
// lanewise.args a = index(256), b = empty(256)
gpu.func @extended(%a: memref<256xi8>, %b: memref<256xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i8
  %x = vector.transfer_read %a[%c0], %p {in_bounds = [true]} : memref<256xi8>, vector<256xi8>
  %f = arith.bitcast %x : vector<256xi8> to vector<256xf8E5M2>
  %y = arith.extf %f : vector<256xf8E5M2> to vector<256xf32>
  vector.transfer_write %y, %b[%c0] {in_bounds = [true]} : vector<256xf32>, memref<256xf32>
  gpu.return
}
