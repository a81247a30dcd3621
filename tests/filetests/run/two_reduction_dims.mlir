// C[m, n] += A[m, h, k] * B[h, k, n]: two reduction dimensions are one of 2 * 16 = 32.
// test roundtrip
// test run
// test run target=gfx942
// m16n8k16: 2 * 4 * 2 = 16 instructions by 2 subgroups.
// expect sm_90: executed mma 16, mma 8, fma 0, spills 0
// 32x32x8: 4, 16x16x16: 8, by one subgroup.
// expect gfx942: mma >= 4, mma <= 8, fma 0, spills 0
// lanewise.args a = integers(-3, 3, 32, 2, 16), b = integers(-3, 3, 2, 16, 32), c = empty(32, 32); grid = 1
gpu.func @f(%A: memref<32x2x16xf16>, %B: memref<2x16x32xf16>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<32x32xf32>
  %a = vector.transfer_read %A[%c0, %c0, %c0], %p {in_bounds = [true, true, true]} : memref<32x2x16xf16>, vector<32x2x16xf16>
  %b = vector.transfer_read %B[%c0, %c0, %c0], %p {in_bounds = [true, true, true]} : memref<2x16x32xf16>, vector<2x16x32xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, h, k) -> (m, h, k)>, affine_map<(m, n, h, k) -> (h, k, n)>,
    affine_map<(m, n, h, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"], kind = #vector.kind<add>}
    %a, %b, %z : vector<32x2x16xf16>, vector<2x16x32xf16> into vector<32x32xf32>
  vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
