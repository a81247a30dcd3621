// Offsets that are known at run time only and lead out of the group: the lane gets its own value, and `valid` is false.
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// Element 4 * offset + mode of a thread's row of %y is the value, of %z whether it is valid. Offset 20 is outside of a group of 16, inside of
// the subgroup; 40 is outside of 32 lanes, and its low five bits are not; -1 is the largest offset there is.
// lanewise.args x = index(64), y = zeros(64, 12), z = zeros(64, 12), a = 20, b = 40, c = -1; grid = 1
gpu.func @k(%x: memref<64xi32>, %y: memref<64x12xi32>, %z: memref<64x12xi32>, %a: i32, %b: i32, %c: i32) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %t = gpu.thread_id x
  %width = arith.constant 16 : i32
  %v = memref.load %x[%t] : memref<64xi32>
  %i0 = arith.constant 0 : index
  %v0, %p0 = gpu.shuffle xor %v, %a, %width : i32
  %w0 = arith.extui %p0 : i1 to i32
  memref.store %v0, %y[%t, %i0] : memref<64x12xi32>
  memref.store %w0, %z[%t, %i0] : memref<64x12xi32>
  %i1 = arith.constant 1 : index
  %v1, %p1 = gpu.shuffle up %v, %a, %width : i32
  %w1 = arith.extui %p1 : i1 to i32
  memref.store %v1, %y[%t, %i1] : memref<64x12xi32>
  memref.store %w1, %z[%t, %i1] : memref<64x12xi32>
  %i2 = arith.constant 2 : index
  %v2, %p2 = gpu.shuffle down %v, %a, %width : i32
  %w2 = arith.extui %p2 : i1 to i32
  memref.store %v2, %y[%t, %i2] : memref<64x12xi32>
  memref.store %w2, %z[%t, %i2] : memref<64x12xi32>
  %i3 = arith.constant 3 : index
  %v3, %p3 = gpu.shuffle idx %v, %a, %width : i32
  %w3 = arith.extui %p3 : i1 to i32
  memref.store %v3, %y[%t, %i3] : memref<64x12xi32>
  memref.store %w3, %z[%t, %i3] : memref<64x12xi32>
  %i4 = arith.constant 4 : index
  %v4, %p4 = gpu.shuffle xor %v, %b, %width : i32
  %w4 = arith.extui %p4 : i1 to i32
  memref.store %v4, %y[%t, %i4] : memref<64x12xi32>
  memref.store %w4, %z[%t, %i4] : memref<64x12xi32>
  %i5 = arith.constant 5 : index
  %v5, %p5 = gpu.shuffle up %v, %b, %width : i32
  %w5 = arith.extui %p5 : i1 to i32
  memref.store %v5, %y[%t, %i5] : memref<64x12xi32>
  memref.store %w5, %z[%t, %i5] : memref<64x12xi32>
  %i6 = arith.constant 6 : index
  %v6, %p6 = gpu.shuffle down %v, %b, %width : i32
  %w6 = arith.extui %p6 : i1 to i32
  memref.store %v6, %y[%t, %i6] : memref<64x12xi32>
  memref.store %w6, %z[%t, %i6] : memref<64x12xi32>
  %i7 = arith.constant 7 : index
  %v7, %p7 = gpu.shuffle idx %v, %b, %width : i32
  %w7 = arith.extui %p7 : i1 to i32
  memref.store %v7, %y[%t, %i7] : memref<64x12xi32>
  memref.store %w7, %z[%t, %i7] : memref<64x12xi32>
  %i8 = arith.constant 8 : index
  %v8, %p8 = gpu.shuffle xor %v, %c, %width : i32
  %w8 = arith.extui %p8 : i1 to i32
  memref.store %v8, %y[%t, %i8] : memref<64x12xi32>
  memref.store %w8, %z[%t, %i8] : memref<64x12xi32>
  %i9 = arith.constant 9 : index
  %v9, %p9 = gpu.shuffle up %v, %c, %width : i32
  %w9 = arith.extui %p9 : i1 to i32
  memref.store %v9, %y[%t, %i9] : memref<64x12xi32>
  memref.store %w9, %z[%t, %i9] : memref<64x12xi32>
  %i10 = arith.constant 10 : index
  %v10, %p10 = gpu.shuffle down %v, %c, %width : i32
  %w10 = arith.extui %p10 : i1 to i32
  memref.store %v10, %y[%t, %i10] : memref<64x12xi32>
  memref.store %w10, %z[%t, %i10] : memref<64x12xi32>
  %i11 = arith.constant 11 : index
  %v11, %p11 = gpu.shuffle idx %v, %c, %width : i32
  %w11 = arith.extui %p11 : i1 to i32
  memref.store %v11, %y[%t, %i11] : memref<64x12xi32>
  memref.store %w11, %z[%t, %i11] : memref<64x12xi32>
  gpu.return
}
