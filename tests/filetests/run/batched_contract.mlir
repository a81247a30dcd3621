// A batch dimension: every matrix of the batch is a product of its own.
// test roundtrip
// test run
// test run target=gfx942
// m16n8k16: 2 batches of 2 * 4 * 2 = 16 instructions, by 4 subgroups.
// expect sm_90: executed mma 32, mma 8, fma 0, spills 0
// 32x32x8: 2 * 4 = 8, 16x16x16: 2 * 2 * 2 * 2 = 16, by 2 subgroups. An f32 product would take 32 or more.
// expect gfx942: executed mma >= 8, executed mma <= 16, mma <= 8, fma 0, spills 0
// lanewise.args a = integers(-3, 3, 2, 32, 32), b = integers(-3, 3, 2, 32, 32), c = empty(2, 32, 32); grid = 1
gpu.func @f(%A: memref<2x32x32xf16>, %B: memref<2x32x32xf16>, %C: memref<2x32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<2x32x32xf32>
  %a = vector.transfer_read %A[%c0, %c0, %c0], %p {in_bounds = [true, true, true]} : memref<2x32x32xf16>, vector<2x32x32xf16>
  %b = vector.transfer_read %B[%c0, %c0, %c0], %p {in_bounds = [true, true, true]} : memref<2x32x32xf16>, vector<2x32x32xf16>
  %d = vector.contract {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
    iterator_types = ["parallel", "parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %a, %b, %z : vector<2x32x32xf16>, vector<2x32x32xf16> into vector<2x32x32xf32>
  vector.transfer_write %d, %C[%c0, %c0, %c0] {in_bounds = [true, true, true]} : vector<2x32x32xf32>, memref<2x32x32xf32>
  gpu.return
}
