// Private functions of a module are written out where they are called: with blocks, results, and calls of their own.
// test roundtrip
// test run
// test run target=gfx942
// Nothing is left of the calls: a row is read and written, two elements a thread, and one number each.
// expect sm_90: loads 2, stores 2, barriers 0, instructions <= 40
// expect gfx942: stores 2, barriers 0, instructions <= 40
// lanewise.args n = index(6), x = normal(64), y = empty(6, 64), c = empty(6); grid = 6
func.func private @absolute(%v: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %negative = arith.cmpi slt, %v, %zero : i32
  cf.cond_br %negative, ^turn, ^keep
^turn:
  %t = arith.subi %zero, %v : i32
  return %t : i32
^keep:
  return %v : i32
}
func.func private @row(%x: vector<64xf32>, %n: i32) -> (vector<64xf32>, i32) {
  %three = arith.constant 3 : i32
  %d = arith.subi %n, %three : i32
  %a = func.call @absolute(%d) : (i32) -> i32
  %f = arith.sitofp %a : i32 to f32
  %v = vector.broadcast %f : f32 to vector<64xf32>
  %s = arith.mulf %x, %v : vector<64xf32>
  return %s, %a : vector<64xf32>, i32
}
func.func private @store(%C: memref<6xi32>, %b: index, %v: i32) {
  memref.store %v, %C[%b] : memref<6xi32>
  return
}
gpu.func @f(%N: memref<6xi32>, %X: memref<64xf32>, %Y: memref<6x64xf32>, %C: memref<6xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %b = gpu.block_id x
  %n = memref.load %N[%b] : memref<6xi32>
  %x = vector.transfer_read %X[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %r:2 = func.call @row(%x, %n) : (vector<64xf32>, i32) -> (vector<64xf32>, i32)
  vector.transfer_write %r#0, %Y[%b, %c0] {in_bounds = [true]} : vector<64xf32>, memref<6x64xf32>
  call @store(%C, %b, %r#1) : (memref<6xi32>, index, i32) -> ()
  gpu.return
}
