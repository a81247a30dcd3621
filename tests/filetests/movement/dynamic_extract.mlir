// A position that is known at run time only. Of its 8 registers each thread chooses one; the thread that holds the element
// gives it to all, through four bytes a thread of shared memory. Nobody holds the whole vector: 1024 * 4 / 32 sectors each way,
// two accesses of 16 bytes a thread.
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// expect sm_90: barriers 1, shared bytes 512, shuffles 0, sectors 256, loads 2, instructions <= 160
// expect gfx942: barriers 1, sectors 256, loads 2, shared bytes 512, instructions <= 160
// expect gfx1100: barriers 1, shared bytes 512, instructions <= 160
// lanewise.args x = integers(-9, 9, 1024), y = empty(1024), i = 777; grid = 1
gpu.func @element(%x: memref<1024xf32>, %y: memref<1024xf32>, %i: index) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<1024xf32>, vector<1024xf32>
  %e = arith.mulf %v, %v : vector<1024xf32>
  %s = vector.extract %e[%i] : f32 from vector<1024xf32>
  %b = vector.broadcast %s : f32 to vector<1024xf32>
  %d = arith.subf %v, %b : vector<1024xf32>
  vector.transfer_write %d, %y[%c0] {in_bounds = [true]} : vector<1024xf32>, memref<1024xf32>
  gpu.return
}
// -----
// Inside a subgroup a shuffle does: 128 / 32 registers, one chosen and sent each time.
// expect sm_90: barriers 0, shared bytes 0, shuffles 1
// lanewise.args x = integers(-9, 9, 128), y = empty(128); grid = 1
gpu.func @in_a_subgroup(%x: memref<128xi32>, %y: memref<128xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %p = arith.constant 0 : i32
  %v = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<128xi32>, vector<128xi32>
  %z = arith.constant dense<0> : vector<128xi32>
  %t = scf.for %i = %c0 to %c128 step %c1 iter_args(%acc = %z) -> (vector<128xi32>) {
    %s = vector.extract %v[%i] : i32 from vector<128xi32>
    %b = vector.broadcast %s : i32 to vector<128xi32>
    %m = arith.maxsi %acc, %b : vector<128xi32>
    scf.yield %m : vector<128xi32>
  }
  vector.transfer_write %t, %y[%c0] {in_bounds = [true]} : vector<128xi32>, memref<128xi32>
  gpu.return
}
// -----
// A row keeps the threads that it has along its own dimension; of a position one number may be known.
// expect sm_90: barriers <= 1, instructions <= 160
// lanewise.args x = integers(-9, 9, 4, 6, 64), y = empty(64), k = 2; grid = 1
gpu.func @row(%x: memref<4x6x64xf32>, %y: memref<64xf32>, %k: index) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0, %c0, %c0], %p {in_bounds = [true, true, true]} : memref<4x6x64xf32>, vector<4x6x64xf32>
  %e = arith.mulf %v, %v : vector<4x6x64xf32>
  %r = vector.extract %e[%k, 5] : vector<64xf32> from vector<4x6x64xf32>
  vector.transfer_write %r, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
// Layouts that the author gives: the position goes along subgroups, lanes and registers at once, and repeats over lanes. The
// row is taken out of the layout that it is in.
// expect sm_90: conversions 0
// expect gfx942: conversions 0
// lanewise.args x = integers(-9, 9, 48, 16), y = empty(16), k = 41; grid = 1
#spread = #iree_vector_ext.nested_layout<
  subgroup_tile = [2, 1], batch_tile = [3, 1], outer_tile = [1, 1], thread_tile = [4, 8], element_tile = [2, 2],
  subgroup_strides = [1, 0], thread_strides = [8, 1]>
gpu.func @spread(%x: memref<48x16xf32>, %y: memref<16xf32>, %k: index) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<48x16xf32>, vector<48x16xf32>
  %l = iree_vector_ext.to_layout %v to layout(#spread) : vector<48x16xf32>
  %e = arith.mulf %l, %l : vector<48x16xf32>
  %r = vector.extract %e[%k] : vector<16xf32> from vector<48x16xf32>
  vector.transfer_write %r, %y[%c0] {in_bounds = [true]} : vector<16xf32>, memref<16xf32>
  gpu.return
}
