#layout = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [2, 4], outer_tile = [1, 1], thread_tile = [16, 4], element_tile = [1, 4], subgroup_strides = [1, 0], thread_strides = [1, 16]>
func.func @to_layout(%input: vector<64x64xf16>) {
  %0 = iree_vector_ext.to_layout %input to layout(#layout) : vector<64x64xf16>
  %1 = iree_vector_ext.to_layout %input to layout(#layout) {shared_memory_conversion} : vector<64x64xf16>
  %2 = iree_vector_ext.to_layout %input to layout(#layout) {mma_kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>} : vector<64x64xf16>
  return
}
