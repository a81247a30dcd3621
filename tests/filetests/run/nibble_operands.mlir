// Integers of 4 bits, signed and, with the mark that the layout stage uses itself, unsigned.
// test roundtrip
// test run target=sm_80
// test run target=gfx1201
// m16n8k64: 2 * 4 * 2 = 16 instructions by 2 subgroups.
// expect sm_80: executed mma 16, casts 0
// 16x16x32: 2 * 2 * 4 = 16.
// expect gfx1201: executed mma 16, casts 0
// lanewise.args a = integers(-8, 7, 32, 128), b = integers(-8, 7, 32, 128), c = empty(32, 32); grid = 1
gpu.func @f(%A: memref<32x128xi4>, %B: memref<32x128xi4>, %C: memref<32x32xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i4
  %z = arith.constant dense<0> : vector<32x32xi32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x128xi4>, vector<32x128xi4>
  %b = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x128xi4>, vector<32x128xi4>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %a, %b, %z {lanewise.unsigned_rhs} : vector<32x128xi4>, vector<32x128xi4> into vector<32x32xi32>
  vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xi32>, memref<32x32xi32>
  gpu.return
}
