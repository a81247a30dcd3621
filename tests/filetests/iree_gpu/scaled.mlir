// Products of scaled operands: texts have them; what lanes hold of them is multiplied (tests/codegen/test_scaled_tiles.py).
// test roundtrip
// test verify
#maps = [affine_map<(i, j, k, b) -> (i, k, b)>, affine_map<(i, j, k, b) -> (k, b, j)>, affine_map<(i, j, k, b) -> (i, k)>,
         affine_map<(i, j, k, b) -> (k, j)>, affine_map<(i, j, k, b) -> (i, j)>]
func.func @f(%a: vector<3x5x1x32xf4E2M1FN>, %b: vector<5x1x7x32xf8E4M3FN>, %x: vector<3x5x1xf8E8M0FNU>, %y: vector<5x7x1xf8E8M0FNU>, %c: vector<3x7x4xf32>) {
  %d = iree_codegen.inner_tiled ins(%a, %b, %x, %y) outs(%c) {indexing_maps = #maps,
    iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>],
    kind = #iree_gpu.scaled_mma_layout<intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f8E4M3FN, acc_elem_type = f32>,
    semantics = #iree_gpu.mma_semantics<distributed = true, opaque = false>}
    : vector<3x5x1x32xf4E2M1FN>, vector<5x1x7x32xf8E4M3FN>, vector<3x5x1xf8E8M0FNU>, vector<5x7x1xf8E8M0FNU> into vector<3x7x4xf32>
  return
}
// -----
module attributes {
  iree_gpu.a = #iree_gpu.data_tiled_scaled_mma_layout<intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E5M2, rhs_elem_type = f8E4M3FN, acc_elem_type = f32, intrinsics_m = 2, subgroups_m = 2, intrinsics_n = 2, subgroups_n = 2, intrinsics_k = 2, subgroups_k = 2, operands_interleaving_intrinsics_m = [2], operands_interleaving_intrinsics_k = [2, 3]>,
  iree_gpu.b = #iree_gpu.scaled_mma_layout<intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, acc_elem_type = f32, col_major = true>,
  iree_gpu.c = #iree_gpu.target<arch = "gfx950", features = "", wgp = <compute = fp32, storage = b32, subgroup = shuffle, mma = [<MFMA_F32_16x16x16_F16>],
    scaled_mma = [<intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, acc_elem_type = f32>],
    subgroup_size_choices = [64], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 65536, max_workgroup_counts = [1, 1, 1]>>
} {}
// -----
// expected-error@+1 {{expected one of MFMA_SCALE_F32_16x16x128_B32, MFMA_SCALE_F32_32x32x64_B32, found 'MFMA_SCALE_F32_16x16x64_B32'}}
module attributes {iree_gpu.a = #iree_gpu.scaled_mma_layout<intrinsic = MFMA_SCALE_F32_16x16x64_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, acc_elem_type = f32>} {}
// -----
// expected-error@+1 {{iree_gpu.scaled_mma_layout needs lhs_elem_type, rhs_elem_type, acc_elem_type}}
module attributes {iree_gpu.a = #iree_gpu.scaled_mma_layout<intrinsic = MFMA_SCALE_F32_16x16x128_B32>} {}
// -----
#maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>]
#kind = #iree_gpu.scaled_mma_layout<intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, acc_elem_type = f32>
func.func @f(%a: vector<32xf4E2M1FN>, %x: vector<1xf8E8M0FNU>, %c: vector<4xf32>) {
  // expected-error@+1 {{takes lhs, rhs, their scales and acc, found 2 and 1 operands}}
  %d = iree_codegen.inner_tiled ins(%a, %a) outs(%c) {indexing_maps = #maps, iterator_types = [], kind = #kind, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = false>} : vector<32xf4E2M1FN>, vector<32xf4E2M1FN> into vector<4xf32>
  // expected-error@+1 {{indexing_maps must be five affine maps, found [affine_map<() -> ()>]}}
  %e = iree_codegen.inner_tiled ins(%a, %a, %x, %x) outs(%c) {indexing_maps = [affine_map<() -> ()>], iterator_types = [], kind = #kind, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = false>} : vector<32xf4E2M1FN>, vector<32xf4E2M1FN>, vector<1xf8E8M0FNU>, vector<1xf8E8M0FNU> into vector<4xf32>
  return
}
// -----
#kind = #iree_gpu.scaled_mma_layout<intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, acc_elem_type = f32>
func.func @f(%a: vector<32xf4E2M1FN>, %b: vector<32xf8E4M3FN>, %x: vector<1xf8E8M0FNU>, %y: vector<1xf8E8M0FNU>, %c: vector<4xf32>) {
  // expected-error@+1 {{rhs has elements f8E4M3FN, MFMA_SCALE_F32_16x16x128_B32 has f4E2M1FN there}}
  %d = iree_codegen.inner_tiled ins(%a, %b, %x, %y) outs(%c) {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = [], kind = #kind, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = false>} : vector<32xf4E2M1FN>, vector<32xf8E4M3FN>, vector<1xf8E8M0FNU>, vector<1xf8E8M0FNU> into vector<4xf32>
  return
}
// -----
#kind = #iree_gpu.scaled_mma_layout<intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, acc_elem_type = f32>
func.func @f(%a: vector<32xf4E2M1FN>, %b: vector<32xf4E2M1FN>, %x: vector<1xf8E8M0FNU>, %y: vector<4xf8E8M0FNU>, %c: vector<4xf32>) {
  // expected-error@+1 {{rhs's scales has inner dimensions [4], a lane of MFMA_SCALE_F32_16x16x128_B32 has 1 element}}
  %d = iree_codegen.inner_tiled ins(%a, %b, %x, %y) outs(%c) {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = [], kind = #kind, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = false>} : vector<32xf4E2M1FN>, vector<32xf4E2M1FN>, vector<1xf8E8M0FNU>, vector<4xf8E8M0FNU> into vector<4xf32>
  return
}
// -----
#kind = #iree_gpu.scaled_mma_layout<intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f16, rhs_elem_type = f4E2M1FN, acc_elem_type = f32>
func.func @f(%a: vector<32xf16>, %b: vector<32xf4E2M1FN>, %x: vector<1xf8E8M0FNU>, %y: vector<1xf8E8M0FNU>, %c: vector<4xf32>) {
  // expected-error@+1 {{is of MFMA_SCALE_F32_16x16x128_B32 on f16, f4E2M1FN and f32, which there is not}}
  %d = iree_codegen.inner_tiled ins(%a, %b, %x, %y) outs(%c) {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = [], kind = #kind, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = false>} : vector<32xf16>, vector<32xf4E2M1FN>, vector<1xf8E8M0FNU>, vector<1xf8E8M0FNU> into vector<4xf32>
  return
}
// -----
#kind = #iree_gpu.scaled_mma_layout<intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, acc_elem_type = f32>
func.func @f(%a: vector<2x32xf4E2M1FN>, %b: vector<2x32xf4E2M1FN>, %x: vector<2x1xf8E8M0FNU>, %y: vector<3x1xf8E8M0FNU>, %c: vector<4xf32>) {
  // expected-error@+1 {{iterator d0 runs to 2 and, in rhs's scales, to 3}}
  %d = iree_codegen.inner_tiled ins(%a, %b, %x, %y) outs(%c) {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = [#linalg.iterator_type<reduction>], kind = #kind, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = false>} : vector<2x32xf4E2M1FN>, vector<2x32xf4E2M1FN>, vector<2x1xf8E8M0FNU>, vector<3x1xf8E8M0FNU> into vector<4xf32>
  return
}
// -----
#kind = #iree_gpu.scaled_mma_layout<intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, acc_elem_type = f32>
func.func @f(%a: vector<2x32xf4E2M1FN>, %b: vector<2x32xf4E2M1FN>, %x: vector<2x1xf8E8M0FNU>, %y: vector<2x1xf8E8M0FNU>, %c: vector<4xf32>) {
  // expected-error@+1 {{parallel iterator d0 must be in the maps of acc and of lhs or rhs}}
  %d = iree_codegen.inner_tiled ins(%a, %b, %x, %y) outs(%c) {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = [#linalg.iterator_type<parallel>], kind = #kind, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = false>} : vector<2x32xf4E2M1FN>, vector<2x32xf4E2M1FN>, vector<2x1xf8E8M0FNU>, vector<2x1xf8E8M0FNU> into vector<4xf32>
  return
}
