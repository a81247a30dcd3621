gpu.func @f(%N: memref<1xi32>, %X: memref<64xf32>, %Y: memref<64xf32>, %C: memref<2xi32>)
    kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %pad = arith.constant 0.0 : f32
  %half = arith.constant dense<0.5> : vector<64xf32>
  %n = memref.load %N[%c0] : memref<1xi32>
  %x = vector.transfer_read %X[%c0], %pad {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %r:2 = scf.while (%i = %zero, %v = %x) : (i32, vector<64xf32>) -> (vector<64xf32>, i32) {
    %go = arith.cmpi slt, %i, %n : i32
    scf.condition(%go) %v, %i : vector<64xf32>, i32
  } do {
  ^bb0(%w: vector<64xf32>, %j: i32):
    %k = arith.addi %j, %one : i32
    %h = arith.mulf %w, %half : vector<64xf32>
    scf.yield %k, %h : i32, vector<64xf32>
  }
  vector.transfer_write %r#0, %Y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  memref.store %r#1, %C[%c0] : memref<2xi32>
  // without anything carried, through memory alone
  memref.store %zero, %C[%c1] : memref<2xi32>
  scf.while : () -> () {
    %now = memref.load %C[%c1] : memref<2xi32>
    %go = arith.cmpi slt, %now, %n : i32
    scf.condition(%go)
  } do {
    %now = memref.load %C[%c1] : memref<2xi32>
    %next = arith.addi %now, %one : i32
    memref.store %next, %C[%c1] : memref<2xi32>
    scf.yield
  }
  gpu.return
}
