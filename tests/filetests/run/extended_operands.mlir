// f16 operands, extended to f32 before the product, as upstream's programs have it: extending is exact, so it is needless.
// test roundtrip
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// m16n8k16: 2 * 4 * 2 = 16 instructions by 2 subgroups, and no cast.
// expect sm_80: executed mma 16, mma 8, fma 0, casts 0, spills 0
// 32x32x8: 4, 16x16x16: 2 * 2 * 2 = 8, by one subgroup; the f32 instruction (k = 2) would take 16 or more.
// expect gfx942: mma >= 4, mma <= 8, fma 0, casts 0, spills 0
// 16x16x16: 8 instructions by 2 subgroups.
// expect gfx1100: executed mma 8, mma 4, fma 0, casts 0, spills 0
// lanewise.args a = integers(-3, 3, 32, 32), b = integers(-3, 3, 32, 32), c = empty(32, 32); grid = 1
gpu.func @f(%A: memref<32x32xf16>, %B: memref<32x32xf16>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<32x32xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %b = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %ae = arith.extf %a : vector<32x32xf16> to vector<32x32xf32>
  %be = arith.extf %b : vector<32x32xf16> to vector<32x32xf32>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %ae, %be, %z : vector<32x32xf32>, vector<32x32xf32> into vector<32x32xf32>
  vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
