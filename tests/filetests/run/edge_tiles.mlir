// Extents that no instruction divides: the product is done on vectors of zeros around them.
// test run
// test run target=gfx942
// test run target=gfx1100
// 24 x 20 x 40 becomes 32 x 24 x 40, 2 * 3 * 5 = 30 instructions of m16n8k8, or 32 x 24 x 48, 18 of m16n8k16; two subgroups share them
// or do all. 16x16x16 takes 2 * 2 * 3 = 12, 32x32x8 1 * 1 * 5 = 5.
// expect sm_90: mma >= 9, mma <= 30, fma 0, spills 0
// expect gfx942: mma >= 5, mma <= 12, fma 0, spills 0
// expect gfx1100: mma >= 6, mma <= 12, fma 0, spills 0
// lanewise.args a = integers(-3, 3, 24, 40), b = integers(-3, 3, 40, 20), c = empty(24, 20); grid = 1
gpu.func @f(%A: memref<24x40xf16>, %B: memref<40x20xf16>, %C: memref<24x20xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<1.0> : vector<24x20xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<24x40xf16>, vector<24x40xf16>
  %b = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<40x20xf16>, vector<40x20xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %a, %b, %z : vector<24x40xf16>, vector<40x20xf16> into vector<24x20xf32>
  vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<24x20xf32>, memref<24x20xf32>
  gpu.return
}
