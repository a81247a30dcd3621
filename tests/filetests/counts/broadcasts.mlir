// What is broadcast is read by those who need it, and moved by nobody.
// test run
// A row is added to every row: every thread reads the columns that it holds, no other thread is asked. 512 sectors are read and
// 512 written; of the row's 8 sectors each of 4 (2) subgroups reads all.
// expect sm_90: conversions 0, shuffles 0, shared bytes 0, barriers 0, sectors 1056
// expect gfx942: conversions 0, shuffles 0, shared bytes 0, barriers 0, sectors 1040
// lanewise.args x = integers(-3, 3, 64, 64), b = integers(-3, 3, 64), y = empty(64, 64); grid = 1
gpu.func @bias(%x: memref<64x64xf32>, %b: memref<64xf32>, %y: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %r = vector.transfer_read %b[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %w = vector.broadcast %r : vector<64xf32> to vector<64x64xf32>
  %s = arith.addf %a, %w : vector<64x64xf32>
  vector.transfer_write %s, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// A column is added to every column: a thread holds 8 (16 at most on 64 lanes) rows, and reads them or gets each by a shuffle.
// Nothing goes through shared memory; each of 4 (2) subgroups reads 64 sectors at most for the column.
// expect sm_90: shuffles <= 8, shared bytes 0, barriers 0, sectors <= 1280
// expect gfx942: shuffles <= 16, shared bytes 0, barriers 0, sectors <= 1152
// lanewise.args x = integers(-3, 3, 64, 64), b = integers(-3, 3, 64), y = empty(64, 64); grid = 1
gpu.func @column(%x: memref<64x64xf32>, %b: memref<64xf32>, %y: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %r = vector.transfer_read %b[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %w = vector.broadcast %r : vector<64xf32> to vector<64x64xf32>
  %t = vector.transpose %w, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
  %s = arith.addf %a, %t : vector<64x64xf32>
  vector.transfer_write %s, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// A scalar is in every thread.
// expect sm_90: conversions 0, shuffles 0, shared bytes 0, sectors 1024
// expect gfx942: conversions 0, shuffles 0, shared bytes 0, sectors 1024
// lanewise.args x = integers(-3, 3, 64, 64), y = empty(64, 64), 2.0; grid = 1
gpu.func @scalar(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %f: f32) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %w = vector.broadcast %f : f32 to vector<64x64xf32>
  %s = arith.mulf %a, %w : vector<64x64xf32>
  vector.transfer_write %s, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// A transfer that broadcasts: rows of 64 floats are read as above, and 512 sectors are written.
// expect sm_90: conversions 0, shuffles 0, shared bytes 0, sectors 544
// expect gfx942: conversions 0, shuffles 0, shared bytes 0, sectors 528
// lanewise.args b = integers(-3, 3, 64), y = empty(64, 64); grid = 1
gpu.func @spread(%b: memref<64xf32>, %y: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %b[%c0], %p {in_bounds = [true, true], permutation_map = affine_map<(d) -> (0, d)>}
      : memref<64xf32>, vector<64x64xf32>
  vector.transfer_write %a, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
