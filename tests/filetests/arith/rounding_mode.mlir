// Every conversion and every mode; `special` has ties, subnormals, infinities, NaN and what overflows.
// test roundtrip
// test run data=written,special
// test run target=gfx942 data=written,special
// test run target=gfx1100 data=written,special
// lanewise.args x = full(64, value=1.00099), o = empty(64); grid = 1
gpu.func @f(%X: memref<64xf32>, %O: memref<64xf16>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %x = vector.transfer_read %X[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %y = "arith.truncf"(%x) <{roundingmode = 3 : i32}> : (vector<64xf32>) -> vector<64xf16>
  vector.transfer_write %y, %O[%c0] {in_bounds = [true]} : vector<64xf16>, memref<64xf16>
  gpu.return
}
