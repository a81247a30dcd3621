// Rows of no whole bytes, masks that end within a byte, and transposed tiles: what one thread stores of a byte leaves the
// rest of it to others.
// test run target=sm_80
// test run target=gfx942 M=16 N=32
// test run target=gfx1100 M=7
// lanewise.args M = 13, N = 27: x = special(M, N), y = empty(M, N), z = empty(N, M)
gpu.func @edges(%x: memref<?x?xi4>, %y: memref<?x?xi4>, %z: memref<?x?xi4>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i4
  %v = vector.transfer_read %x[%c0, %c0], %p : memref<?x?xi4>, vector<16x32xi4>
  vector.transfer_write %v, %y[%c0, %c0] : vector<16x32xi4>, memref<?x?xi4>
  %t = vector.transpose %v, [1, 0] : vector<16x32xi4> to vector<32x16xi4>
  vector.transfer_write %t, %z[%c0, %c0] : vector<32x16xi4>, memref<?x?xi4>
  gpu.return
}
// -----
// lanewise.args M = 13, N = 27: x = special(M, N), y = empty(M, N), z = empty(N, M)
gpu.func @edges(%x: memref<?x?xi2>, %y: memref<?x?xi2>, %z: memref<?x?xi2>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 1 : i2
  %v = vector.transfer_read %x[%c0, %c0], %p : memref<?x?xi2>, vector<16x32xi2>
  vector.transfer_write %v, %y[%c0, %c0] : vector<16x32xi2>, memref<?x?xi2>
  %t = vector.transpose %v, [1, 0] : vector<16x32xi2> to vector<32x16xi2>
  vector.transfer_write %t, %z[%c0, %c0] : vector<32x16xi2>, memref<?x?xi2>
  gpu.return
}
// -----
// lanewise.args M = 13, N = 27: x = special(M, N), y = empty(M, N), z = empty(N, M)
gpu.func @edges(%x: memref<?x?xf4E2M1FN>, %y: memref<?x?xf4E2M1FN>, %z: memref<?x?xf4E2M1FN>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant -0.0 : f4E2M1FN
  %v = vector.transfer_read %x[%c0, %c0], %p : memref<?x?xf4E2M1FN>, vector<16x32xf4E2M1FN>
  vector.transfer_write %v, %y[%c0, %c0] : vector<16x32xf4E2M1FN>, memref<?x?xf4E2M1FN>
  %t = vector.transpose %v, [1, 0] : vector<16x32xf4E2M1FN> to vector<32x16xf4E2M1FN>
  vector.transfer_write %t, %z[%c0, %c0] : vector<32x16xf4E2M1FN>, memref<?x?xf4E2M1FN>
  gpu.return
}
// -----
// lanewise.args M = 13, N = 27: x = special(M, N), y = empty(M, N), z = empty(N, M)
gpu.func @edges(%x: memref<?x?xui4>, %y: memref<?x?xui4>, %z: memref<?x?xui4>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 3 : ui4
  %v = vector.transfer_read %x[%c0, %c0], %p : memref<?x?xui4>, vector<16x32xui4>
  vector.transfer_write %v, %y[%c0, %c0] : vector<16x32xui4>, memref<?x?xui4>
  %t = vector.transpose %v, [1, 0] : vector<16x32xui4> to vector<32x16xui4>
  vector.transfer_write %t, %z[%c0, %c0] : vector<32x16xui4>, memref<?x?xui4>
  gpu.return
}
