gpu.func @transposed(%x: memref<9x16xf32>, %y: memref<16x4xf32>, %first: index) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %rows = memref.subview %x[%first, 0] [4, 16] [2, 1] : memref<9x16xf32> to memref<4x16xf32, strided<[32, 1], offset: ?>>
  %t = memref.transpose %rows (i, j) -> (j, i) : memref<4x16xf32, strided<[32, 1], offset: ?>> to memref<16x4xf32, strided<[1, 32], offset: ?>>
  %v = vector.transfer_read %t[%c0, %c0], %p : memref<16x4xf32, strided<[1, 32], offset: ?>>, vector<16x4xf32>
  vector.transfer_write %v, %y[%c0, %c0] : vector<16x4xf32>, memref<16x4xf32>
  gpu.return
}
