// What is put into a vector, and taken out of it, comes from memory in the layout that it has there.
// test run
// A row goes where its threads hold it: nothing moves. 16 * 64 * 4 / 32 = 128 sectors each way, and 64 * 4 / 32 = 8 of the row
// in each subgroup, of which sm_90 has two; 16 floats a thread are 4 accesses of 16 bytes each way, and the row, 4 floats
// in each of 16 threads, is one.
// expect sm_90: sectors 272, loads 5, stores 4, conversions 0, shuffles 0, shared bytes 0
// expect gfx942: sectors 264, loads 5, stores 4, conversions 0, shuffles 0, shared bytes 0
// lanewise.args x = index(16, 64), r = index(64), y = empty(16, 64); grid = 1
gpu.func @insert(%x: memref<16x64xf32>, %r: memref<64xf32>, %y: memref<16x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x64xf32>, vector<16x64xf32>
  %b = vector.transfer_read %r[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %c = vector.insert %b, %a[3] : vector<64xf32> into vector<16x64xf32>
  vector.transfer_write %c, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x64xf32>, memref<16x64xf32>
  gpu.return
}
// -----
// At a place that is known at run time, too.
// expect sm_90: sectors 272, loads 5, stores 4, conversions 0, shuffles 0, shared bytes 0
// expect gfx942: sectors 264, loads 5, stores 4, conversions 0, shuffles 0, shared bytes 0
// lanewise.args x = index(16, 64), r = index(64), y = empty(16, 64), n = 5; grid = 1
gpu.func @insert_there(%x: memref<16x64xf32>, %r: memref<64xf32>, %y: memref<16x64xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x64xf32>, vector<16x64xf32>
  %b = vector.transfer_read %r[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %c = vector.insert %b, %a[%n] : vector<64xf32> into vector<16x64xf32>
  vector.transfer_write %c, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x64xf32>, memref<16x64xf32>
  gpu.return
}
// -----
// All rows are read along memory, though one is taken: 128 sectors by 4 accesses of 16 bytes, and 8 sectors are written.
// expect sm_90: sectors 136, loads 4
// expect gfx942: sectors 136, loads 4, conversions 0, barriers 0
// lanewise.args x = index(16, 64), y = empty(64), n = 5; grid = 1
gpu.func @extract_there(%x: memref<16x64xf32>, %y: memref<64xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x64xf32>, vector<16x64xf32>
  %b = vector.extract %a[%n] : vector<64xf32> from vector<16x64xf32>
  vector.transfer_write %b, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
// Each element of a masked load is asked for on its own: neighbours lie in neighbouring threads, 8 to a sector. 1000 of them are
// 1000 * 4 / 32 = 125 sectors each way.
// expect sm_90: sectors 250, conversions 0
// expect gfx942: sectors 250, conversions 0
// lanewise.args x = index(1024), m = index(1024), y = empty(1024); grid = 1
gpu.func @masked(%x: memref<1024xf32>, %m: memref<1024xf32>, %y: memref<1024xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %n = arith.constant 1000 : index
  %on = vector.create_mask %n : vector<1024xi1>
  %none = arith.constant dense<0.0> : vector<1024xf32>
  %a = vector.maskedload %x[%c0], %on, %none : memref<1024xf32>, vector<1024xi1>, vector<1024xf32> into vector<1024xf32>
  vector.maskedstore %y[%c0], %on, %a : memref<1024xf32>, vector<1024xi1>, vector<1024xf32>
  gpu.return
}
// -----
// A mask that is data may differ from each element to the next, so each is asked for on its own: neighbours lie in neighbouring
// threads. 16 * 64 * 4 / 32 = 128 sectors of x and of y, and 16 * 64 / 32 = 32 of the mask.
// expect sm_90: sectors 288
// expect gfx942: sectors 288
// lanewise.args x = index(16, 64), m = ones(16, 64), y = empty(16, 64); grid = 1
gpu.func @masked_by_data(%x: memref<16x64xf32>, %m: memref<16x64xi1>, %y: memref<16x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %no = arith.constant false
  %on = vector.transfer_read %m[%c0, %c0], %no {in_bounds = [true, true]} : memref<16x64xi1>, vector<16x64xi1>
  %none = arith.constant dense<0.0> : vector<16x64xf32>
  %a = vector.maskedload %x[%c0, %c0], %on, %none : memref<16x64xf32>, vector<16x64xi1>, vector<16x64xf32> into vector<16x64xf32>
  vector.transfer_write %a, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x64xf32>, memref<16x64xf32>
  gpu.return
}
// -----
// The same of a store.
// expect sm_90: sectors 288
// expect gfx942: sectors 288
// lanewise.args x = index(16, 64), m = ones(16, 64), y = empty(16, 64); grid = 1
gpu.func @stored_by_data(%x: memref<16x64xf32>, %m: memref<16x64xi1>, %y: memref<16x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %no = arith.constant false
  %p = arith.constant 0.0 : f32
  %on = vector.transfer_read %m[%c0, %c0], %no {in_bounds = [true, true]} : memref<16x64xi1>, vector<16x64xi1>
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x64xf32>, vector<16x64xf32>
  vector.maskedstore %y[%c0, %c0], %on, %a : memref<16x64xf32>, vector<16x64xi1>, vector<16x64xf32>
  gpu.return
}
// -----
// All of a row is on or off: four neighbours are one access, 16 * 64 / 4 / 64 = 4 of them a thread each way. 128 sectors of x and
// of y, and the mask's 16 bytes are one for each subgroup.
// expect sm_90: sectors 258, stores 4
// expect gfx942: sectors 257, stores 4
// lanewise.args x = index(16, 64), m = ones(16, 1), y = empty(16, 64); grid = 1
gpu.func @masked_rows(%x: memref<16x64xf32> {llvm.align = 16 : i64}, %m: memref<16x1xi1>, %y: memref<16x64xf32> {llvm.align = 16 : i64}) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %no = arith.constant false
  %rows = vector.transfer_read %m[%c0, %c0], %no {in_bounds = [true, true]} : memref<16x1xi1>, vector<16x1xi1>
  %on = vector.broadcast %rows : vector<16x1xi1> to vector<16x64xi1>
  %none = arith.constant dense<0.0> : vector<16x64xf32>
  %a = vector.maskedload %x[%c0, %c0], %on, %none : memref<16x64xf32>, vector<16x64xi1>, vector<16x64xf32> into vector<16x64xf32>
  vector.transfer_write %a, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x64xf32>, memref<16x64xf32>
  gpu.return
}
