// A virtual instruction is two along K, on runs of eight neighbours: of 64x64x32 in steps of 16x16x16 each of two subgroups
// does 4 * 4 * 2 / 2 = 16.
// test roundtrip
// test run target=gfx942
// expect gfx942: mma 16
// lanewise.args A = normal(64, 32), B = normal(32, 64), C = empty(64, 64)
gpu.func @f(%A: memref<64x32xf16>, %B: memref<32x64xf16>, %C: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x32xf16>, vector<64x32xf16>
  %b = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x64xf16>, vector<32x64xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>,
    lowering_config = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.virtual_mma_layout<VMFMA_F32_16x16x32_F16>, subgroup_m_count = 2, subgroup_n_count = 1}>} %a, %b, %z : vector<64x32xf16>, vector<32x64xf16> into vector<64x64xf32>
  vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
