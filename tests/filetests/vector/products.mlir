// Outer products: with an accumulator one fused multiply-add an element; other kinds; by a number.
// test roundtrip
// test run data=written,exact
// test run target=gfx942
// 16 * 24 elements and 16 of 32 threads: 12 + 1 fused each; gfx942 does two of f32 at once.
// expect sm_90: fma 13, shuffles 0, barriers 0
// expect gfx942: fma 7, shuffles 0, barriers 0
// lanewise.args x = normal(16), y = normal(24), c = normal(16, 24), z = empty(16, 24), w = empty(16, 24), u = empty(16), s = 1.5; grid = 1
gpu.func @outer(%x: memref<16xf32>, %y: memref<24xf32>, %c: memref<16x24xf32>, %z: memref<16x24xf32>, %w: memref<16x24xf32>, %u: memref<16xf32>, %s: f32) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p : memref<16xf32>, vector<16xf32>
  %b = vector.transfer_read %y[%c0], %p : memref<24xf32>, vector<24xf32>
  %acc = vector.transfer_read %c[%c0, %c0], %p : memref<16x24xf32>, vector<16x24xf32>
  %0 = vector.outerproduct %a, %b, %acc : vector<16xf32>, vector<24xf32>
  vector.transfer_write %0, %z[%c0, %c0] : vector<16x24xf32>, memref<16x24xf32>
  %1 = vector.outerproduct %a, %b : vector<16xf32>, vector<24xf32>
  %2 = vector.outerproduct %a, %b, %1 {kind = #vector.kind<maxnumf>} : vector<16xf32>, vector<24xf32>
  vector.transfer_write %2, %w[%c0, %c0] : vector<16x24xf32>, memref<16x24xf32>
  %3 = vector.outerproduct %a, %s, %a : vector<16xf32>, f32
  vector.transfer_write %3, %u[%c0] : vector<16xf32>, memref<16xf32>
  gpu.return
}

// -----

// Flat matrices, column after column.
// Each of two subgroups has half of the 16x16 product, one m16n8k16.
// expect sm_90: mma 1
// lanewise.args a = normal(256), b = normal(256), c = empty(256); grid = 1
gpu.func @flat(%a: memref<256xf16>, %b: memref<256xf16>, %c: memref<256xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %0 = vector.transfer_read %a[%c0], %p : memref<256xf16>, vector<256xf16>
  %1 = vector.transfer_read %b[%c0], %p : memref<256xf16>, vector<256xf16>
  %2 = vector.matrix_multiply %0, %1 {lhs_rows = 16 : i32, lhs_columns = 16 : i32, rhs_columns = 16 : i32} : (vector<256xf16>, vector<256xf16>) -> vector<256xf16>
  vector.transfer_write %2, %c[%c0] : vector<256xf16>, memref<256xf16>
  gpu.return
}
