// Iterations spread over workgroups: fewer, as many and more than there are, in the program of a workgroup.
// test roundtrip
// test run
// test run target=gfx942
// test run target=sm_80
// test run target=gfx1100
// lanewise.args x = normal(7, 64), y = empty(7, 64), z = empty(2, 3), 7; grid = (3, 2, 1)
gpu.func @blocks(%X: memref<7x64xf32>, %Y: memref<7x64xf32>, %Z: memref<2x3xi32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  scf.forall (%i) in (%n) {
    %row = vector.transfer_read %X[%i, %c0], %p {in_bounds = [true]} : memref<7x64xf32>, vector<64xf32>
    %t = arith.addf %row, %row : vector<64xf32>
    vector.transfer_write %t, %Y[%i, %c0] {in_bounds = [true]} : vector<64xf32>, memref<7x64xf32>
  } {mapping = [#gpu.block<linear_dim_0>]}
  scf.forall (%i, %j) in (2, 3) {
    %k = arith.index_cast %i : index to i32
    %l = arith.index_cast %j : index to i32
    %m = arith.muli %k, %l : i32
    memref.store %m, %Z[%i, %j] : memref<2x3xi32>
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  gpu.return
}
// -----
// Over threads, coordinates and digits of the flat id: as many as there are, fewer, more; what follows sees it all.
// lanewise.args x = empty(4, 16), y = empty(100), z = empty(5), w = empty(100), 100; grid = 1
gpu.func @threads(%X: memref<4x16xi32>, %Y: memref<100xi32>, %Z: memref<5xi32>, %W: memref<100xi32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 16, 4, 1>, lanewise.scope = "thread"} {
  %c99 = arith.constant 99 : index
  scf.forall (%i, %j) in (4, 16) {
    %k = arith.muli %i, %j : index
    %v = arith.index_cast %k : index to i32
    memref.store %v, %X[%i, %j] : memref<4x16xi32>
  } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
  scf.forall (%i) in (%n) {
    %v = arith.index_cast %i : index to i32
    memref.store %v, %Y[%i] : memref<100xi32>
  } {mapping = [#gpu.thread<linear_dim_0>]}
  scf.forall (%i) in (5) {
    %v = arith.index_cast %i : index to i32
    memref.store %v, %Z[%i] : memref<5xi32>
  } {mapping = [#gpu.thread<linear_dim_0>]}
  // each reads what another thread wrote
  scf.forall (%i, %j) in (10, 10) {
    %k = affine.linearize_index [%i, %j] by (10, 10) : index
    %back = arith.subi %c99, %k : index
    %v = memref.load %Y[%back] : memref<100xi32>
    memref.store %v, %W[%k] : memref<100xi32>
  } {mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]}
  gpu.return
}
// -----
// Over subgroups, in their own program, and over the lanes of each.
// lanewise.args x = normal(5, 64), y = empty(5, 64); grid = 1
gpu.func @warps(%X: memref<5x64xf32>, %Y: memref<5x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.scope = "subgroup"} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  scf.forall (%i) in (5) {
    %row = vector.transfer_read %X[%i, %c0], %p {in_bounds = [true]} : memref<5x64xf32>, vector<64xf32>
    %t = arith.mulf %row, %row : vector<64xf32>
    vector.transfer_write %t, %Y[%i, %c0] {in_bounds = [true]} : vector<64xf32>, memref<5x64xf32>
  } {mapping = [#gpu.warp<x>]}
  gpu.return
}
// -----
// lanewise.args x = normal(4, 70), y = empty(4, 70); grid = 1
gpu.func @lanes(%X: memref<4x70xf32>, %Y: memref<4x70xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.scope = "thread"} {
  scf.forall (%i) in (4) {
    scf.forall (%j) in (70) {
      %v = memref.load %X[%i, %j] : memref<4x70xf32>
      memref.store %v, %Y[%i, %j] : memref<4x70xf32>
    } {mapping = [#iree_gpu.lane_id<0>]}
  } {mapping = [#gpu.warp<linear_dim_0>]}
  gpu.return
}
