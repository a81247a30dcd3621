// A schedule that no contraction can take is refused, and so is one that none is there for.
// test layout target=gfx942
#accesses = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @too_many(%A: memref<16x16xf16>, %C: memref<16x16xf32>) attributes {
    translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute>
      workgroup_size = [256, 1, 1] subgroup_size = 64, {mma_schedule = #iree_gpu.mma_schedule<
        // expected-error@+1 {{2 * 1 = 2 subgroups, the workgroup has 4 (subgroup_m_count, subgroup_n_count)}}
        intrinsic = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, subgroup_m_count = 2, subgroup_n_count = 1>}>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<16x16xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %d = vector.contract {indexing_maps = #accesses, iterator_types = ["parallel", "parallel", "reduction"],
    kind = #vector.kind<add>} %a, %a, %z : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}
// -----
// expected-error@+1 {{has 'mma_schedule' in its translation_info, and no vector.contract}}
func.func @none(%C: memref<16xf32>) attributes {
    translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute>
      workgroup_size = [64, 1, 1] subgroup_size = 64, {mma_schedule = #iree_gpu.mma_schedule<
        intrinsic = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, subgroup_m_count = 1, subgroup_n_count = 1>}>} {
  return
}
