// Floats of 6 and of 4 bits: a byte each in the registers of mma.sync, one after the other in those of mfma.
// test roundtrip
// test run target=sm_120a
// test run target=gfx950
// m16n8k32: 2 * 4 * 4 = 32 instructions by 2 subgroups.
// expect sm_120a: executed mma 32, fma 0
// 16x16x128: 2 * 2 = 4, 32x32x64: 2.
// expect gfx950: executed mma >= 2, executed mma <= 4, fma 0
// lanewise.args a = integers(-2, 2, 32, 128), b = integers(-2, 2, 32, 128), c = empty(32, 32); grid = 1
gpu.func @f(%A: memref<32x128xf6E3M2FN>, %B: memref<32x128xf4E2M1FN>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f6E3M2FN
  %q = arith.constant 0.0 : f4E2M1FN
  %z = arith.constant dense<0.0> : vector<32x32xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x128xf6E3M2FN>, vector<32x128xf6E3M2FN>
  %b = vector.transfer_read %B[%c0, %c0], %q {in_bounds = [true, true]} : memref<32x128xf4E2M1FN>, vector<32x128xf4E2M1FN>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %a, %b, %z : vector<32x128xf6E3M2FN>, vector<32x128xf4E2M1FN> into vector<32x32xf32>
  vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
