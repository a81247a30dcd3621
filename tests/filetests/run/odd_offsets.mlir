// Indices of which nothing is known, in aligned buffers: an access may be no wider than an element.
// test run
// test run target=sm_70
// test run target=gfx942
// test run target=gfx1100
// lanewise.args n = 3, x = index(96), y = empty(64); grid = 1
gpu.func @first_argument(%n: index, %x: memref<96xf16> {llvm.align = 16 : i64}, %y: memref<64xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  %0 = vector.transfer_read %x[%n], %pad {in_bounds = [true]} : memref<96xf16>, vector<64xf16>
  vector.transfer_write %0, %y[%c0] : vector<64xf16>, memref<64xf16>
  gpu.return
}
// -----
// lanewise.args x = index(96), n = 3, y = empty(64); grid = 1
gpu.func @second_argument(%x: memref<96xf16> {llvm.align = 16 : i64}, %n: index, %y: memref<64xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  %0 = vector.transfer_read %x[%n], %pad {in_bounds = [true]} : memref<96xf16>, vector<64xf16>
  vector.transfer_write %0, %y[%c0] : vector<64xf16>, memref<64xf16>
  gpu.return
}
// -----
// An index that a loop carries.
// lanewise.args x = index(96), y = empty(64); grid = 1
gpu.func @carried(%x: memref<96xf16> {llvm.align = 16 : i64}, %y: memref<64xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %pad = arith.constant 0.0 : f16
  %end = scf.for %i = %c0 to %c8 step %c4 iter_args(%at = %c0) -> (index) {
    %0 = vector.transfer_read %x[%at], %pad {in_bounds = [true]} : memref<96xf16>, vector<64xf16>
    vector.transfer_write %0, %y[%c0] : vector<64xf16>, memref<64xf16>
    %next = arith.addi %at, %c1 : index
    scf.yield %next : index
  }
  gpu.return
}
// -----
// What a branch gives.
// lanewise.args x = index(96), y = empty(64), n = 2; grid = 1
gpu.func @chosen(%x: memref<96xf16> {llvm.align = 16 : i64}, %y: memref<64xf16>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  %pad = arith.constant 0.0 : f16
  %is = arith.cmpi eq, %n, %c2 : index
  %at = scf.if %is -> (index) {
    scf.yield %c5 : index
  } else {
    scf.yield %c8 : index
  }
  %0 = vector.transfer_read %x[%at], %pad {in_bounds = [true]} : memref<96xf16>, vector<64xf16>
  vector.transfer_write %0, %y[%c0] : vector<64xf16>, memref<64xf16>
  gpu.return
}
