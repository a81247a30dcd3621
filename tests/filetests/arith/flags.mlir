// Promises that hold: the flags change nothing.
// test roundtrip
// test run
// test run target=gfx942
// test run target=sm_80
// test run target=gfx1100
// lanewise.args x = index(64), o = empty(64), f = empty(64), s = empty(4); grid = 1
gpu.func @f(%X: memref<64xi32>, %O: memref<64xi64>, %F: memref<64xf32>, %S: memref<4xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 0 : i32
  %two = arith.constant dense<2> : vector<64xi32>
  %four = arith.constant dense<4> : vector<64xi32>
  %x = vector.transfer_read %X[%c0], %p {in_bounds = [true]} : memref<64xi32>, vector<64xi32>
  %0 = arith.shli %x, %two overflow<nsw, nuw> : vector<64xi32>
  %1 = arith.divsi %0, %four exact : vector<64xi32>
  %2 = arith.shli %1, %two : vector<64xi32>
  %3 = arith.divui %2, %four exact : vector<64xi32>
  %4 = arith.shli %3, %two : vector<64xi32>
  %5 = arith.shrsi %4, %two exact : vector<64xi32>
  %6 = arith.shli %5, %two : vector<64xi32>
  %7 = arith.shrui %6, %two exact : vector<64xi32>
  %8 = arith.uitofp %7 nneg : vector<64xi32> to vector<64xf32>
  %9 = arith.extui %7 nneg : vector<64xi32> to vector<64xi64>
  %10 = arith.trunci %9 overflow<nsw, nuw> : vector<64xi64> to vector<64xi32>
  %11 = arith.index_castui %10 nneg exact : vector<64xi32> to vector<64xindex>
  %12 = arith.index_cast %11 exact : vector<64xindex> to vector<64xi64>
  vector.transfer_write %12, %O[%c0] {in_bounds = [true]} : vector<64xi64>, memref<64xi64>
  vector.transfer_write %8, %F[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  %eight = memref.load %X[%c1] : memref<64xi32>
  %13 = arith.divsi %eight, %eight exact : i32
  memref.store %13, %S[%c0] : memref<4xi32>
  gpu.return
}
