// With `opaque = false` the inner dimensions are the kind's, ones aside, whole or a lane's; with `opaque = true` only how
// many elements there are counts. A 16x16 accumulator of MFMA_F32_16x16x16_F16 is 4 * 16 * 4: lane l has rows 4 (l / 16) to
// 4 (l / 16) + 3 of column l % 16, and a data-tiled layout has these as they lie: 4 rows of lanes, 16 columns, 4 elements.
// test verify
#maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
#its = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>]
#lying = #iree_gpu.data_tiled_mma_layout<intrinsic = MFMA_F32_16x16x16_F16>
#kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>
#closed = #iree_gpu.mma_semantics<distributed = false, opaque = true>
#open = #iree_gpu.mma_semantics<distributed = false, opaque = false>
#closed_lane = #iree_gpu.mma_semantics<distributed = true, opaque = true>
#open_lane = #iree_gpu.mma_semantics<distributed = true, opaque = false>
func.func @data_tiled(%x: vector<1x1x4x16x4xf16>, %y: vector<1x1x4x16x4xf32>, %z: vector<1x1x16x16xf32>) {
  %0 = iree_codegen.inner_tiled ins(%x, %x) outs(%y) {indexing_maps = #maps, iterator_types = #its, kind = #lying, semantics = #open} : vector<1x1x4x16x4xf16>, vector<1x1x4x16x4xf16> into vector<1x1x4x16x4xf32>
  %1 = iree_codegen.inner_tiled ins(%x, %x) outs(%z) {indexing_maps = #maps, iterator_types = #its, kind = #lying, semantics = #closed} : vector<1x1x4x16x4xf16>, vector<1x1x4x16x4xf16> into vector<1x1x16x16xf32>
  // expected-error@+1 {{acc has inner dimensions 16x16, MFMA_F32_16x16x16_F16 has 4x16x4 there: opaque = false}}
  %2 = iree_codegen.inner_tiled ins(%x, %x) outs(%z) {indexing_maps = #maps, iterator_types = #its, kind = #lying, semantics = #open} : vector<1x1x4x16x4xf16>, vector<1x1x4x16x4xf16> into vector<1x1x16x16xf32>
  return
}
func.func @whole(%x: vector<1x1x16x16xf16>, %f: vector<1x1x256xf16>, %z: vector<1x1x16x1x16xf32>) {
  %0 = iree_codegen.inner_tiled ins(%x, %x) outs(%z) {indexing_maps = #maps, iterator_types = #its, kind = #kind, semantics = #open} : vector<1x1x16x16xf16>, vector<1x1x16x16xf16> into vector<1x1x16x1x16xf32>
  %1 = iree_codegen.inner_tiled ins(%f, %x) outs(%z) {indexing_maps = #maps, iterator_types = #its, kind = #kind, semantics = #closed} : vector<1x1x256xf16>, vector<1x1x16x16xf16> into vector<1x1x16x1x16xf32>
  // expected-error@+1 {{lhs has inner dimensions 256, MFMA_F32_16x16x16_F16 has 16x16 there: opaque = false}}
  %2 = iree_codegen.inner_tiled ins(%f, %x) outs(%z) {indexing_maps = #maps, iterator_types = #its, kind = #kind, semantics = #open} : vector<1x1x256xf16>, vector<1x1x16x16xf16> into vector<1x1x16x1x16xf32>
  return
}
func.func @lanes(%x: vector<1x1x4xf16>, %s: vector<1x1x2x2xf16>, %z: vector<1x1x4xf32>) {
  %0 = iree_codegen.inner_tiled ins(%x, %x) outs(%z) {indexing_maps = #maps, iterator_types = #its, kind = #kind, semantics = #open_lane} : vector<1x1x4xf16>, vector<1x1x4xf16> into vector<1x1x4xf32>
  %1 = iree_codegen.inner_tiled ins(%x, %s) outs(%z) {indexing_maps = #maps, iterator_types = #its, kind = #kind, semantics = #closed_lane} : vector<1x1x4xf16>, vector<1x1x2x2xf16> into vector<1x1x4xf32>
  // expected-error@+1 {{rhs has inner dimensions 2x2, MFMA_F32_16x16x16_F16 has 4 there: opaque = false}}
  %2 = iree_codegen.inner_tiled ins(%x, %s) outs(%z) {indexing_maps = #maps, iterator_types = #its, kind = #kind, semantics = #open_lane} : vector<1x1x4xf16>, vector<1x1x2x2xf16> into vector<1x1x4xf32>
  return
}
func.func @scaled(%a: vector<32xf4E2M1FN>, %b: vector<2x16xf4E2M1FN>, %s: vector<1xf8E8M0FNU>, %c: vector<4xf32>) {
  // expected-error@+1 {{rhs has inner dimensions [2, 16], a lane of MFMA_SCALE_F32_16x16x128_B32 has one row of 32: opaque = false}}
  %0 = iree_codegen.inner_tiled ins(%a, %b, %s, %s) outs(%c) {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = [], kind = #iree_gpu.scaled_mma_layout<intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, acc_elem_type = f32>, semantics = #open_lane} : vector<32xf4E2M1FN>, vector<2x16xf4E2M1FN>, vector<1xf8E8M0FNU>, vector<1xf8E8M0FNU> into vector<4xf32>
  return
}
