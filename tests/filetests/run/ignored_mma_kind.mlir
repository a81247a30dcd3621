// The program asks for an instruction that is not the one chosen without it.
// test roundtrip
// test run
// m16n8k8: 32/16 * 32/8 * 32/8 = 32 instructions of the one subgroup.
// expect sm_90: mma 32, fma 0, spills 0
// lanewise.args a = integers(-3, 3, 32, 32), b = integers(-3, 3, 32, 32), c = empty(32, 32); grid = 1
gpu.func @f(%A: memref<32x32xf16>, %B: memref<32x32xf16>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<32x32xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %b = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>, lowering_config = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x8_F16>}>}
    %a, %b, %z : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
  vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
