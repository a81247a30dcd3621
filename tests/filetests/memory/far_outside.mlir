// Rows further away than 64 bits of elements count are padding as any others.
// test run
// lanewise.args x = index(37, 29), y = empty(8, 8), 9223372036854775800, 0; grid = 1
gpu.func @c(%x: memref<?x?xf32>, %y: memref<8x8xf32>, %o0: index, %o1: index) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 7.0 : f32
  %a = vector.transfer_read %x[%o0, %o1], %p : memref<?x?xf32>, vector<8x8xf32>
  vector.transfer_write %a, %y[%c0, %c0] {in_bounds = [true, true]} : vector<8x8xf32>, memref<8x8xf32>
  gpu.return
}
