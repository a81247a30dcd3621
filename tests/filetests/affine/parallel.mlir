// Iterations without an order, joined by every kind of joining floats and integers.
// test roundtrip
// test run
// test run target=gfx942
// test run target=sm_80
// test run target=gfx1100
// lanewise.args x = integers(-3, 3, 6, 8), k = integers(-100, 100, 8), y = empty(8), z = empty(8); grid = 1
gpu.func @f(%X: memref<6x8xf32>, %K: memref<8xi32>, %Y: memref<8xf32>, %Z: memref<8xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %n = arith.constant 6 : index
  %r:4 = affine.parallel (%i, %j) = (0, 1) to (min(%n, 10), 8) step (1, 2)
      reduce ("addf", "maximumf", "minnumf", "mulf") -> (f32, f32, f32, f32) {
    %a = affine.load %X[%i, %j] : memref<6x8xf32>
    %two = arith.constant 2.0 : f32
    affine.yield %a, %a, %a, %two : f32, f32, f32, f32
  }
  affine.store %r#0, %Y[0] : memref<8xf32>
  affine.store %r#1, %Y[1] : memref<8xf32>
  affine.store %r#2, %Y[2] : memref<8xf32>
  affine.store %r#3, %Y[3] : memref<8xf32>
  %s:8 = affine.parallel (%i) = (0) to (8)
      reduce ("addi", "maxs", "mins", "maxu", "minu", "ori", "andi", "xori")
      -> (i32, i32, i32, i32, i32, i32, i32, i32) {
    %a = affine.load %K[%i] : memref<8xi32>
    affine.yield %a, %a, %a, %a, %a, %a, %a, %a : i32, i32, i32, i32, i32, i32, i32, i32
  }
  affine.store %s#0, %Z[0] : memref<8xi32>
  affine.store %s#1, %Z[1] : memref<8xi32>
  affine.store %s#2, %Z[2] : memref<8xi32>
  affine.store %s#3, %Z[3] : memref<8xi32>
  affine.store %s#4, %Z[4] : memref<8xi32>
  affine.store %s#5, %Z[5] : memref<8xi32>
  affine.store %s#6, %Z[6] : memref<8xi32>
  affine.store %s#7, %Z[7] : memref<8xi32>
  // nothing joined: what joins leave as it is
  %none:2 = affine.parallel (%i) = (4) to (4) reduce ("addf", "muli") -> (f32, i32) {
    %x = arith.constant 7.0 : f32
    %y = arith.constant 7 : i32
    affine.yield %x, %y : f32, i32
  }
  %one = arith.sitofp %none#1 : i32 to f32
  affine.parallel (%i) = (4) to (8) {
    affine.store %none#0, %Y[%i] : memref<8xf32>
    affine.if affine_set<(d0) : (d0 - 6 >= 0)>(%i) {
      affine.store %one, %Y[%i] : memref<8xf32>
    }
  }
  gpu.return
}
