// Barriers stand where threads meet in memory, whatever the loop.
// test run
// test run target=gfx942

// Each round every thread reads its neighbour's element and then writes its own: one barrier between a round's read and
// its write, one between the write and the next round's read, which serves what is before the loop, too.
// expect sm_90: barriers 2
// lanewise.args n = full(1, value=5), x = normal(64), y = empty(64); grid = 1
gpu.func @shift(%N: memref<1xi32>, %X: memref<64xf32>, %Y: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %p = arith.constant 0.0 : f32
  %n = memref.load %N[%c0] : memref<1xi32>
  %B = memref.alloc() : memref<65xf32, #gpu.address_space<workgroup>>
  %x = vector.transfer_read %X[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %x, %B[%c0] {in_bounds = [true]} : vector<64xf32>, memref<65xf32, #gpu.address_space<workgroup>>
  memref.store %p, %B[%c64] : memref<65xf32, #gpu.address_space<workgroup>>
  %r:2 = scf.while (%i = %zero, %v = %x) : (i32, vector<64xf32>) -> (i32, vector<64xf32>) {
    %go = arith.cmpi slt, %i, %n : i32
    scf.condition(%go) %i, %v : i32, vector<64xf32>
  } do {
  ^bb0(%i: i32, %v: vector<64xf32>):
    %w = vector.transfer_read %B[%c1], %p {in_bounds = [true]} : memref<65xf32, #gpu.address_space<workgroup>>, vector<64xf32>
    vector.transfer_write %w, %B[%c0] {in_bounds = [true]} : vector<64xf32>, memref<65xf32, #gpu.address_space<workgroup>>
    %j = arith.addi %i, %one : i32
    scf.yield %j, %w : i32, vector<64xf32>
  }
  vector.transfer_write %r#1, %Y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
// What the first region of a loop reads is written by the second: a barrier in each. A case of a switch writes, by one
// thread, what another reads behind it: one more.
// expect sm_90: barriers 3
// lanewise.args n = full(1, value=2), x = index(64), y = empty(64); grid = 1
gpu.func @head(%N: memref<1xindex>, %X: memref<64xi32>, %Y: memref<64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %p = arith.constant 0 : i32
  %limit = arith.constant dense<100> : vector<64xi32>
  %top = arith.constant 100 : i32
  %n = memref.load %N[%c0] : memref<1xindex>
  %B = memref.alloc() : memref<65xi32, #gpu.address_space<workgroup>>
  %x = vector.transfer_read %X[%c0], %p {in_bounds = [true]} : memref<64xi32>, vector<64xi32>
  vector.transfer_write %x, %B[%c1] {in_bounds = [true]} : vector<64xi32>, memref<65xi32, #gpu.address_space<workgroup>>
  scf.while (%v = %x) : (vector<64xi32>) -> (vector<64xi32>) {
    %first = memref.load %B[%c1] : memref<65xi32, #gpu.address_space<workgroup>>
    %go = arith.cmpi slt, %first, %top : i32
    scf.condition(%go) %v : vector<64xi32>
  } do {
  ^bb0(%v: vector<64xi32>):
    %w = arith.addi %v, %limit : vector<64xi32>
    vector.transfer_write %w, %B[%c1] {in_bounds = [true]} : vector<64xi32>, memref<65xi32, #gpu.address_space<workgroup>>
    scf.yield %w : vector<64xi32>
  }
  scf.index_switch %n
  case 2 {
    memref.store %top, %B[%c5] : memref<65xi32, #gpu.address_space<workgroup>>
    scf.yield
  }
  default {
    memref.store %p, %B[%c0] : memref<65xi32, #gpu.address_space<workgroup>>
    scf.yield
  }
  %y = vector.transfer_read %B[%c1], %p {in_bounds = [true]} : memref<65xi32, #gpu.address_space<workgroup>>, vector<64xi32>
  vector.transfer_write %y, %Y[%c0] {in_bounds = [true]} : vector<64xi32>, memref<64xi32>
  gpu.return
}
