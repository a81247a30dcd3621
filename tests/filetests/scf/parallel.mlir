// Loops without an order over rows, with and without results.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// lanewise.args x = integers(-3, 3, 6, 64), y = empty(6, 64), s = empty(64), c = empty(2), 6; grid = 1
gpu.func @f(%X: memref<6x64xf32>, %Y: memref<6x64xf32>, %S: memref<64xf32>, %C: memref<2xi32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %p = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<64xf32>
  %none = arith.constant 0 : i32
  %r:2 = scf.parallel (%i, %j) = (%c0, %c0) to (%n, %c2) step (%c2, %c1) init (%zeros, %none) -> (vector<64xf32>, i32) {
    %k = arith.addi %i, %j : index
    %row = vector.transfer_read %X[%k, %c0], %p {in_bounds = [true]} : memref<6x64xf32>, vector<64xf32>
    %number = arith.index_cast %k : index to i32
    scf.reduce(%row, %number : vector<64xf32>, i32) {
    ^bb0(%a: vector<64xf32>, %b: vector<64xf32>):
      %s = arith.addf %a, %b : vector<64xf32>
      scf.reduce.return %s : vector<64xf32>
    }, {
    ^bb0(%a: i32, %b: i32):
      %m = arith.maxsi %a, %b : i32
      scf.reduce.return %m : i32
    }
  }
  vector.transfer_write %r#0, %S[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  memref.store %r#1, %C[%c0] : memref<2xi32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %row = vector.transfer_read %X[%i, %c0], %p {in_bounds = [true]} : memref<6x64xf32>, vector<64xf32>
    %t = arith.addf %row, %r#0 : vector<64xf32>
    vector.transfer_write %t, %Y[%i, %c0] {in_bounds = [true]} : vector<64xf32>, memref<6x64xf32>
    scf.reduce
  }
  scf.forall (%i) = (1) to (2) step (1) {
    memref.store %none, %C[%i] : memref<2xi32>
  }
  gpu.return
}
