// Reductions take log2 of the lanes shuffles for each result of a thread, and meet in shared memory only across subgroups.
// test run
// One subgroup: 1024 * 4 / 32 = 128 sectors and one written; 1024 / 32 / 4 = 8 accesses (64 lanes: 4); log2 of the lanes shuffles.
// Nothing goes through shared memory. (sm_80 and later have no single instruction for floats.)
// expect sm_90: sectors 129, loads 8, shuffles 5, barriers 0, shared bytes 0
// lanewise.args x = integers(-3, 3, 1024), y = empty(1); grid = 1
gpu.func @sum(%x: memref<1024xf32>, %y: memref<1xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<1024xf32>, vector<1024xf32>
  %r = vector.multi_reduction <add>, %a, %p [0] : vector<1024xf32> to f32
  memref.store %r, %y[%c0] : memref<1xf32>
  gpu.return
}
// -----
// The same by 64 threads, which are one subgroup of gfx942: 4 accesses, 6 steps, of which the one over 4 lanes takes two moves
// (a mirror of 8 lanes, then one of each 4).
// expect gfx942: sectors 129, loads 4, shuffles 7, barriers 0, shared bytes 0
// lanewise.args x = integers(-3, 3, 1024), y = empty(1); grid = 1
gpu.func @sum(%x: memref<1024xf32>, %y: memref<1xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<1024xf32>, vector<1024xf32>
  %r = vector.multi_reduction <add>, %a, %p [0] : vector<1024xf32> to f32
  memref.store %r, %y[%c0] : memref<1xf32>
  gpu.return
}
// -----
// Four subgroups of 32 (two of 64): 5 (6) steps over lanes, then up to 4 (2) numbers are exchanged: one more shuffle for each
// doubling at most; four are read by one access, and behind places for a subgroup each thread has one: 640 bytes, no conflicts.
// 512 sectors are read, one is written; 8 accesses of a thread.
// expect sm_90: sectors 513, loads 8, shuffles >= 5, shuffles <= 7, shared loads <= 1, shared bytes <= 640, bank conflicts 0
// expect gfx942: sectors 513, loads 8, shuffles >= 6, shuffles <= 7, shared bytes <= 512
// lanewise.args x = integers(-3, 3, 64, 64), y = empty(1); grid = 1
gpu.func @all(%x: memref<64x64xf32>, %y: memref<1xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %r = vector.multi_reduction <add>, %a, %p [0, 1] : vector<64x64xf32> to f32
  memref.store %r, %y[%c0] : memref<1xf32>
  gpu.return
}
// -----
// Rows of 128 elements: at most 5 steps for each of the 16 rows that a subgroup of 4 has; rows that are spread over fewer lanes take
// fewer. 64 * 128 * 4 / 32 = 1024 sectors; no subgroup needs another one. 8 sectors of sums, each written by up to 4 threads' subgroups.
// expect sm_90: read bytes 32768, sectors >= 1032, sectors <= 1088, loads 16, shuffles <= 80, barriers 0, shared bytes 0
// lanewise.args x = integers(-3, 3, 64, 128), y = empty(64); grid = 1
gpu.func @rows(%x: memref<64x128xf32>, %y: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<64xf32>
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x128xf32>, vector<64x128xf32>
  %r = vector.multi_reduction <add>, %a, %z [1] : vector<64x128xf32> to vector<64xf32>
  vector.transfer_write %r, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
// Columns of 64 elements: every element is read once, with accesses of 16 bytes, and added up where it is read.
// expect sm_90: read bytes 32768, loads 16
// expect gfx942: read bytes 32768, loads 16
// lanewise.args x = integers(-3, 3, 64, 128), y = empty(128); grid = 1
gpu.func @columns(%x: memref<64x128xf32>, %y: memref<128xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<128xf32>
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x128xf32>, vector<64x128xf32>
  %r = vector.multi_reduction <add>, %a, %z [0] : vector<64x128xf32> to vector<128xf32>
  vector.transfer_write %r, %y[%c0] {in_bounds = [true]} : vector<128xf32>, memref<128xf32>
  gpu.return
}
// -----
// Each subgroup has a program of its own: 5 steps, nothing shared, no barrier, whatever the number of subgroups.
// 4 subgroups read 128 elements each: 4 * 16 sectors.
// expect sm_90: sectors 68, loads 1, shuffles 5, barriers 0, shared bytes 0
// lanewise.args x = integers(-3, 3, 4, 128), y = empty(4); grid = 1
gpu.func @own(%x: memref<4x128xf32>, %y: memref<4xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.scope = "subgroup"} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %g = gpu.subgroup_id : index
  %a = vector.transfer_read %x[%g, %c0], %p {in_bounds = [true]} : memref<4x128xf32>, vector<128xf32>
  %r = vector.multi_reduction <add>, %a, %p [0] : vector<128xf32> to f32
  memref.store %r, %y[%g] : memref<4xf32>
  gpu.return
}
// -----
// A thread's own program reduces in the thread: 15 additions of 16 elements, no shuffle.
// Each of 32 threads reads 64 bytes: 64 sectors, of 4 accesses each touching 32 of them: 4 * 32 are counted; 4 are written.
// expect sm_90: sectors 132, loads 4, shuffles 0, barriers 0, shared bytes 0
// lanewise.args x = integers(-3, 3, 32, 16), y = empty(32); grid = 1
gpu.func @thread(%x: memref<32x16xf32>, %y: memref<32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %t = gpu.thread_id x
  %a = vector.transfer_read %x[%t, %c0], %p {in_bounds = [true]} : memref<32x16xf32>, vector<16xf32>
  %r = vector.multi_reduction <add>, %a, %p [0] : vector<16xf32> to f32
  memref.store %r, %y[%t] : memref<32xf32>
  gpu.return
}
// -----
// An anchored layout with 4 lanes a row: log2 4 = 2 steps for the one row of a lane.
// expect sm_90: sectors 17, loads 1, shuffles 2, barriers 0, shared bytes 0
// lanewise.args x = integers(-3, 3, 8, 16), y = empty(8); grid = 1
#row = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 4],
  subgroup_strides = [0, 0], thread_strides = [4, 1]>
gpu.func @quads(%x: memref<8x16xf32>, %y: memref<8xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<8xf32>
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x16xf32>, vector<8x16xf32>
  %b = iree_vector_ext.to_layout %a to layout(#row) : vector<8x16xf32>
  %r = vector.multi_reduction <add>, %b, %z [1] : vector<8x16xf32> to vector<8xf32>
  vector.transfer_write %r, %y[%c0] {in_bounds = [true]} : vector<8xf32>, memref<8xf32>
  gpu.return
}
// -----
// A maximum is subtracted from its row: the 2 steps leave it in every lane of the row, so that it need not be spread.
// On AMD both the maximum and the comparison that lets NaN through read the other lane.
// expect sm_90: sectors 32, shuffles 2, conversions 0, barriers 0, shared bytes 0
// expect gfx1100: sectors 32, shuffles 4, conversions 0, barriers 0, shared bytes 0
// lanewise.args x = integers(-3, 3, 8, 16), y = empty(8, 16); grid = 1
#row = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 4],
  subgroup_strides = [0, 0], thread_strides = [4, 1]>
gpu.func @centred(%x: memref<8x16xf32>, %y: memref<8x16xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<-100.0> : vector<8xf32>
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x16xf32>, vector<8x16xf32>
  %b = iree_vector_ext.to_layout %a to layout(#row) : vector<8x16xf32>
  %r = vector.multi_reduction <maximumf>, %b, %z [1] : vector<8x16xf32> to vector<8xf32>
  %w = vector.broadcast %r : vector<8xf32> to vector<16x8xf32>
  %t = vector.transpose %w, [1, 0] : vector<16x8xf32> to vector<8x16xf32>
  %s = arith.subf %b, %t : vector<8x16xf32>
  vector.transfer_write %s, %y[%c0, %c0] {in_bounds = [true, true]} : vector<8x16xf32>, memref<8x16xf32>
  gpu.return
}
// -----
// Integers are reduced over lanes, too: 5 shuffles (or one instruction that adds up a subgroup).
// expect sm_90: sectors 17, loads 1, shuffles <= 5, barriers 0, shared bytes 0
// lanewise.args x = integers(-3, 3, 128), y = empty(1); grid = 1
gpu.func @integers(%x: memref<128xi32>, %y: memref<1xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<128xi32>, vector<128xi32>
  %r = vector.multi_reduction <add>, %a, %p [0] : vector<128xi32> to i32
  memref.store %r, %y[%c0] : memref<1xi32>
  gpu.return
}
