// Exchanges through shared memory that do not depend on each other have one barrier; those that do take bytes in turns.
// test run
// Five columns of boxes along rows (the mask of non-maximum suppression): all are stored before any is loaded.
// expect sm_90a: barriers 1
// expect gfx942: barriers 1
// lanewise.args N = 64 : box = uniform(N, 4), y = empty(64, 32) ; grid = 1
func.func private @rows(%v: vector<64xf32>) -> vector<64x32xf32> {
  %0 = vector.broadcast %v : vector<64xf32> to vector<32x64xf32>
  %1 = vector.transpose %0, [1, 0] : vector<32x64xf32> to vector<64x32xf32>
  return %1 : vector<64x32xf32>
}
gpu.func @conversions_barriers(%box: memref<?x4xf32>, %y: memref<64x32xf32>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %st = vector.step : vector<32xindex>
  %si = arith.index_cast %st : vector<32xindex> to vector<32xi32>
  %sf = arith.sitofp %si : vector<32xi32> to vector<32xf32>
  %b = vector.broadcast %sf : vector<32xf32> to vector<64x32xf32>
  %a = vector.transfer_read %box[%c0, %c0], %p {permutation_map = affine_map<(d0, d1) -> (d1, d0)>, in_bounds = [true, false]} : memref<?x4xf32>, vector<4x64xf32>
  %a0 = vector.extract %a[0] : vector<64xf32> from vector<4x64xf32>
  %a1 = vector.extract %a[1] : vector<64xf32> from vector<4x64xf32>
  %a2 = vector.extract %a[2] : vector<64xf32> from vector<4x64xf32>
  %a3 = vector.extract %a[3] : vector<64xf32> from vector<4x64xf32>
  %w = arith.subf %a2, %a0 : vector<64xf32>
  %h = arith.subf %a3, %a1 : vector<64xf32>
  %area = arith.mulf %w, %h : vector<64xf32>
  %r0 = func.call @rows(%a0) : (vector<64xf32>) -> vector<64x32xf32>
  %r1 = func.call @rows(%a1) : (vector<64xf32>) -> vector<64x32xf32>
  %r2 = func.call @rows(%a2) : (vector<64xf32>) -> vector<64x32xf32>
  %r3 = func.call @rows(%a3) : (vector<64xf32>) -> vector<64x32xf32>
  %r4 = func.call @rows(%area) : (vector<64xf32>) -> vector<64x32xf32>
  %0 = arith.maxnumf %r0, %b : vector<64x32xf32>
  %1 = arith.minnumf %r1, %b : vector<64x32xf32>
  %2 = arith.maxnumf %r2, %0 : vector<64x32xf32>
  %3 = arith.minnumf %r3, %1 : vector<64x32xf32>
  %4 = arith.mulf %2, %3 : vector<64x32xf32>
  %5 = arith.addf %4, %r4 : vector<64x32xf32>
  vector.transfer_write %5, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x32xf32>, memref<64x32xf32>
  gpu.return
}

// -----

// Five slices of one tile, of which four change threads: all are stored before any is loaded.
// expect sm_90a: barriers 1
// lanewise.args x = integers(-3, 3, 36, 36), y = empty(36, 32) ; grid = 1
gpu.func @slices_one_by_one(%X: memref<36x36xi32>, %Y: memref<36x32xi32>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i32
  %x = vector.transfer_read %X[%c0, %c0], %p {in_bounds = [true, true]} : memref<36x36xi32>, vector<36x36xi32>
  %a0 = vector.extract_strided_slice %x {offsets = [0, 0], sizes = [36, 32], strides = [1, 1]} : vector<36x36xi32> to vector<36x32xi32>
  %a1 = vector.extract_strided_slice %x {offsets = [0, 1], sizes = [36, 32], strides = [1, 1]} : vector<36x36xi32> to vector<36x32xi32>
  %a2 = vector.extract_strided_slice %x {offsets = [0, 2], sizes = [36, 32], strides = [1, 1]} : vector<36x36xi32> to vector<36x32xi32>
  %a3 = vector.extract_strided_slice %x {offsets = [0, 3], sizes = [36, 32], strides = [1, 1]} : vector<36x36xi32> to vector<36x32xi32>
  %a4 = vector.extract_strided_slice %x {offsets = [0, 4], sizes = [36, 32], strides = [1, 1]} : vector<36x36xi32> to vector<36x32xi32>
  %0 = arith.addi %a0, %a1 : vector<36x32xi32>
  %1 = arith.addi %a2, %a3 : vector<36x32xi32>
  %2 = arith.addi %0, %1 : vector<36x32xi32>
  %3 = arith.addi %2, %a4 : vector<36x32xi32>
  vector.transfer_write %3, %Y[%c0, %c0] {in_bounds = [true, true]} : vector<36x32xi32>, memref<36x32xi32>
  gpu.return
}

// -----

// What is stored in the same places is stored once.
// expect sm_90a: barriers 1, shared stores 1
// expect gfx942: barriers 1, shared stores 1
// lanewise.args x = integers(-3, 3, 1024), y = empty(2) ; grid = 1
gpu.func @same(%x: memref<1024xi32>, %y: memref<2xi32>) kernel attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 0 : i32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<1024xi32>, vector<1024xi32>
  %0 = vector.multi_reduction <add>, %a, %p [0] : vector<1024xi32> to i32
  %1 = vector.multi_reduction <add>, %a, %p [0] : vector<1024xi32> to i32
  memref.store %0, %y[%c0] : memref<2xi32>
  memref.store %1, %y[%c1] : memref<2xi32>
  gpu.return
}

// -----

// Three sums over all threads, each of what the one before it gave: a barrier for each, none between.
// expect sm_90a: barriers 3
// expect gfx942: barriers 3
// lanewise.args x = integers(-3, 3, 1024), y = empty(1024) ; grid = 1
gpu.func @chain(%x: memref<1024xi32>, %y: memref<1024xi32>) kernel attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<1024xi32>, vector<1024xi32>
  %0 = vector.multi_reduction <add>, %a, %p [0] : vector<1024xi32> to i32
  %1 = vector.broadcast %0 : i32 to vector<1024xi32>
  %2 = arith.xori %a, %1 : vector<1024xi32>
  %3 = vector.multi_reduction <add>, %2, %p [0] : vector<1024xi32> to i32
  %4 = vector.broadcast %3 : i32 to vector<1024xi32>
  %5 = arith.xori %2, %4 : vector<1024xi32>
  %6 = vector.multi_reduction <add>, %5, %p [0] : vector<1024xi32> to i32
  %7 = vector.broadcast %6 : i32 to vector<1024xi32>
  %8 = arith.xori %5, %7 : vector<1024xi32>
  vector.transfer_write %8, %y[%c0] {in_bounds = [true]} : vector<1024xi32>, memref<1024xi32>
  gpu.return
}

// -----

// Two sums that know nothing of each other, and with the author's barrier between them, which stays where it is.
// expect sm_90a: barriers 1
// expect gfx942: barriers 1
// lanewise.args x = integers(-3, 3, 1024), y = empty(2) ; grid = 1
gpu.func @two(%x: memref<1024xi32>, %y: memref<2xi32>) kernel attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 0 : i32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<1024xi32>, vector<1024xi32>
  %0 = vector.multi_reduction <add>, %a, %p [0] : vector<1024xi32> to i32
  %1 = vector.multi_reduction <maxsi>, %a, %p [0] : vector<1024xi32> to i32
  memref.store %0, %y[%c0] : memref<2xi32>
  memref.store %1, %y[%c1] : memref<2xi32>
  gpu.return
}

// -----

// expect sm_90a: barriers 3
// expect gfx942: barriers 3
// lanewise.args x = integers(-3, 3, 1024), y = empty(2) ; grid = 1
gpu.func @ordered(%x: memref<1024xi32>, %y: memref<2xi32>) kernel attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 0 : i32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<1024xi32>, vector<1024xi32>
  %0 = vector.multi_reduction <add>, %a, %p [0] : vector<1024xi32> to i32
  memref.store %0, %y[%c0] : memref<2xi32>
  gpu.barrier
  %1 = vector.multi_reduction <maxsi>, %a, %p [0] : vector<1024xi32> to i32
  memref.store %1, %y[%c1] : memref<2xi32>
  gpu.return
}
