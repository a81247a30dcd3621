// Functions of f32 at the price of the chips' instructions, each of them within 2 ulps.
// test run
// test run target=gfx942
// test run target=gfx1100
// exp: three multiply-adds beside the instruction, and one more that rounds. exp2 and rsqrt are instructions.
// expect sm_80: fma 4, selects 0
// lanewise.args x = uniform(128, low=-100, high=90), e = empty(128), r = empty(128); grid = 1
gpu.func @instructions(%x: memref<128xf32>, %e: memref<128xf32>, %r: memref<128xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0], %zero {in_bounds = [true]} : memref<128xf32>, vector<128xf32>
  %1 = math.exp %0 : vector<128xf32>
  vector.transfer_write %1, %e[%c0] {in_bounds = [true]} : vector<128xf32>, memref<128xf32>
  %2 = math.exp2 %0 : vector<128xf32>
  %3 = math.rsqrt %2 : vector<128xf32>
  vector.transfer_write %3, %r[%c0] {in_bounds = [true]} : vector<128xf32>, memref<128xf32>
  gpu.return
}
