// TileAndFuse counts instructions in `reduction` and `subgroup`, and elements in `workgroup`: a subgroup has 2 x 2 of them,
// two subgroups 64 columns of 32 rows, and the loop takes 2 * 16 of the sum: 2 * 2 * 2 in its body.
// test roundtrip
// test run target=gfx942
// lanewise.args A = integers(-3, 3, 64, 128), B = integers(-3, 3, 128, 64), C = empty(64, 64); grid = 2
// expect gfx942: mma 8, layout scf.for 2, barriers >= 1
#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @f(%A: memref<64x128xf16>, %B: memref<128x64xf16>, %C: memref<64x64xf32>) attributes {
    translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [128, 1, 1] subgroup_size = 64>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<64x64xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x128xf16>, vector<64x128xf16>
  %b = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<128x64xf16>, vector<128x64xf16>
  %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>,
    lowering_config = #iree_gpu.lowering_config<{workgroup = [32, 64, 0], reduction = [0, 0, 2], subgroup = [2, 2, 0], mma_kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, promote_operands = [0, 1], promotion_types = [#iree_gpu.derived_thread_config, #iree_gpu.derived_thread_config]}>}
    %a, %b, %zero : vector<64x128xf16>, vector<128x64xf16> into vector<64x64xf32>
  vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  return
}
// -----
// The same in elements.
// lanewise.args A = integers(-3, 3, 64, 128), B = integers(-3, 3, 128, 64), C = empty(64, 64); grid = 2
// expect gfx942: mma 8, layout scf.for 2, barriers >= 1
#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @f(%A: memref<64x128xf16>, %B: memref<128x64xf16>, %C: memref<64x64xf32>) attributes {
    translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [128, 1, 1] subgroup_size = 64>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<64x64xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x128xf16>, vector<64x128xf16>
  %b = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<128x64xf16>, vector<128x64xf16>
  %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>,
    lowering_config = #iree_gpu.lowering_config<{workgroup = [32, 64, 0], reduction = [0, 0, 32], subgroup = [32, 32, 0], mma_kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, promote_operands = [0, 1], promotion_types = [#iree_gpu.derived_thread_config, #iree_gpu.derived_thread_config]}>}
    %a, %b, %zero : vector<64x128xf16>, vector<128x64xf16> into vector<64x64xf32>
  vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  return
}
// -----
// Of a virtual instruction one is two along K: 64 of the sum in an iteration, 2 * 2 * 4 in its body.
// lanewise.args A = integers(-3, 3, 64, 128), B = integers(-3, 3, 128, 64), C = empty(64, 64); grid = 2
// expect gfx942: mma 16, layout scf.for 2
#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @f(%A: memref<64x128xf16>, %B: memref<128x64xf16>, %C: memref<64x64xf32>) attributes {
    translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [128, 1, 1] subgroup_size = 64>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<64x64xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x128xf16>, vector<64x128xf16>
  %b = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<128x64xf16>, vector<128x64xf16>
  %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>,
    lowering_config = #iree_gpu.lowering_config<{workgroup = [32, 64, 0], reduction = [0, 0, 2], subgroup = [2, 2, 0], mma_kind = #iree_gpu.virtual_mma_layout<VMFMA_F32_16x16x32_F16>}>}
    %a, %b, %zero : vector<64x128xf16>, vector<128x64xf16> into vector<64x64xf32>
  vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  return
}
// -----
// Without an instruction sizes are in elements: 4 of the sum in an iteration.
// lanewise.args A = integers(-3, 3, 64, 128), B = integers(-3, 3, 128, 64), C = empty(64, 64); grid = 2
// expect gfx942: mma 0, layout scf.for 1
#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @f(%A: memref<64x128xf16>, %B: memref<128x64xf16>, %C: memref<64x64xf32>) attributes {
    translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [128, 1, 1] subgroup_size = 64>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<64x64xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x128xf16>, vector<64x128xf16>
  %b = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<128x64xf16>, vector<128x64xf16>
  %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>,
    lowering_config = #iree_gpu.lowering_config<{reduction = [0, 0, 4], thread = [8, 4, 0]}>}
    %a, %b, %zero : vector<64x128xf16>, vector<128x64xf16> into vector<64x64xf32>
  vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  return
}
