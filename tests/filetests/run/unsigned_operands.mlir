// Bytes that are unsigned on one side and signed on the other: the instruction's operands are, too, and nothing is cast.
// test roundtrip
// test run target=sm_80
// test run target=gfx1100
// m16n8k32: 2 * 4 * 2 = 16 instructions by 2 subgroups.
// expect sm_80: executed mma 16, mma 8, casts 0
// 16x16x16: 2 * 2 * 4 = 16 by 2 subgroups.
// expect gfx1100: executed mma 16, mma 8, casts 0
// lanewise.args a = integers(-128, 127, 32, 64), b = integers(-128, 127, 64, 32), c = empty(32, 32); grid = 1
gpu.func @f(%A: memref<32x64xi8>, %B: memref<64x32xi8>, %C: memref<32x32xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i8
  %z = arith.constant dense<0> : vector<32x32xi32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x64xi8>, vector<32x64xi8>
  %b = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x32xi8>, vector<64x32xi8>
  %ae = arith.extui %a : vector<32x64xi8> to vector<32x64xi32>
  %be = arith.extsi %b : vector<64x32xi8> to vector<64x32xi32>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %ae, %be, %z : vector<32x64xi32>, vector<64x32xi32> into vector<32x32xi32>
  vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xi32>, memref<32x32xi32>
  gpu.return
}
