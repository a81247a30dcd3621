// What is of other threads than the program is, or of what no code is made for, is refused by name.
// test compile target=gfx942
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<1.0> : vector<4xf16>
  %b = arith.constant dense<1.0> : vector<4xf16>
  %c = arith.constant dense<0.0> : vector<4xf32>
  // expected-error@+1 {{is of what a lane holds, in the program of a workgroup}}
  %d = iree_gpu.multi_mma %a, %b, %c {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = [], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>} : vector<4xf16>, vector<4xf16> into vector<4xf32>
  gpu.return
}
// -----
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<1.0> : vector<4xf16>
  %b = arith.constant dense<1.0> : vector<4xf16>
  %c = arith.constant dense<0.0> : vector<4xf32>
  // expected-error@+1 {{has a lowering_config, and is one instruction of a lane already}}
  %d = iree_gpu.multi_mma %a, %b, %c {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = [], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, lowering_config = #iree_gpu.lowering_config<{}>} : vector<4xf16>, vector<4xf16> into vector<4xf32>
  gpu.return
}
// -----
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<1.0> : vector<4xf16>
  %b = arith.constant dense<1.0> : vector<4xf16>
  %c = arith.constant dense<0.0> : vector<4xf32>
  // expected-error@+1 {{is of #iree_gpu.virtual_mma_layout<VDMFMA_F32_8x16x64x2_F16>, which lanewise does not compute tile by tile}}
  %d = iree_gpu.multi_mma %a, %b, %c {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = [], kind = #iree_gpu.virtual_mma_layout<VDMFMA_F32_8x16x64x2_F16>} : vector<4xf16>, vector<4xf16> into vector<4xf32>
  gpu.return
}
// -----
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<1.0> : vector<4xf16>
  %b = arith.constant dense<1.0> : vector<4x16x4xf16>
  %c = arith.constant dense<0.0> : vector<2x4x16x4xf32>
  // expected-error@+1 {{lhs has inner dimensions [4] of 4 elements, the tile of MFMA_F32_16x16x16_F16 has 512}}
  %d = iree_gpu.multi_mma %a, %b, %c {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = [], kind = #iree_gpu.data_tiled_mma_layout<intrinsic = MFMA_F32_16x16x16_F16, intrinsics_m = 2>} : vector<4xf16>, vector<4x16x4xf16> into vector<2x4x16x4xf32>
  gpu.return
}
// -----
func.func @f(%a: vector<4xf16>, %c: vector<4xf32>) {
  // expected-error@+1 {{kind must be #iree_gpu.mma_layout<...>, found #iree_gpu.scaled_mma_layout<intrinsic = MFMA_SCALE_F32_16x16x128_B32}}
  %d = iree_gpu.multi_mma %a, %a, %c {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = [], kind = #iree_gpu.scaled_mma_layout<intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, acc_elem_type = f32>} : vector<4xf16>, vector<4xf16> into vector<4xf32>
  return
}
// -----
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %a = arith.constant dense<1.0> : vector<16x4x32xf4E2M1FN>
  %b = arith.constant dense<1.0> : vector<4x32x16xf4E2M1FN>
  %s = arith.constant dense<1.0> : vector<16x4xf8E8M0FNU>
  %t = arith.constant dense<1.0> : vector<4x16xf8E8M0FNU>
  %c = arith.constant dense<0.0> : vector<16x16xf32>
  // expected-error@+1 {{is of whole tiles of scaled operands, of which no layouts are chosen}}
  %d = iree_codegen.inner_tiled ins(%a, %b, %s, %t) outs(%c) {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = [], kind = #iree_gpu.scaled_mma_layout<intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, acc_elem_type = f32>, semantics = #iree_gpu.mma_semantics<distributed = false, opaque = false>} : vector<16x4x32xf4E2M1FN>, vector<4x32x16xf4E2M1FN>, vector<16x4xf8E8M0FNU>, vector<4x16xf8E8M0FNU> into vector<16x16xf32>
  gpu.return
}
// -----
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %a = arith.constant dense<1.0> : vector<32xf4E2M1FN>
  %s = arith.constant dense<1.0> : vector<1xf8E8M0FNU>
  %c = arith.constant dense<0.0> : vector<4xf32>
  // expected-error@+1 {{is of what a lane holds, in the program of a workgroup}}
  %d = iree_codegen.inner_tiled ins(%a, %a, %s, %s) outs(%c) {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = [], kind = #iree_gpu.scaled_mma_layout<intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, acc_elem_type = f32>, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = false>} : vector<32xf4E2M1FN>, vector<32xf4E2M1FN>, vector<1xf8E8M0FNU>, vector<1xf8E8M0FNU> into vector<4xf32>
  gpu.return
}
// -----
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %a = arith.constant dense<1.0> : vector<32xf4E2M1FN>
  %s = arith.constant dense<1.0> : vector<1xf8E8M0FNU>
  %c = arith.constant dense<0.0> : vector<4xf32>
  // expected-error@+1 {{is of #iree_gpu.data_tiled_scaled_mma_layout<intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, acc_elem_type = f32>, which lanewise does not compute tile by tile}}
  %d = iree_codegen.inner_tiled ins(%a, %a, %s, %s) outs(%c) {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = [], kind = #iree_gpu.data_tiled_scaled_mma_layout<intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, acc_elem_type = f32>, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = false>} : vector<32xf4E2M1FN>, vector<32xf4E2M1FN>, vector<1xf8E8M0FNU>, vector<1xf8E8M0FNU> into vector<4xf32>
  gpu.return
}
// -----
func.func @f(%y: tensor<4xf32>) {
  // expected-error@+1 {{must end the region of iree_gpu.barrier_region, iree_gpu.shuffle_tensor or iree_gpu.subgroup_scan}}
  iree_gpu.yield %y : tensor<4xf32>
}
// -----
// expected-error@+1 {{argument 't': a kernel cannot be passed a tensor<4xf32>; pass a memref}}
gpu.func @f(%t: tensor<4xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %0 = iree_gpu.value_barrier %t : tensor<4xf32>
  gpu.return
}
// -----
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %a = arith.constant dense<1.0> : vector<2x4xf16>
  %b = arith.constant dense<1.0> : vector<4xf16>
  %c = arith.constant dense<0.0> : vector<2x4xf32>
  // expected-error@+1 {{has 1 in operands_interleaving_intrinsics_m: rhs has no rows}}
  %d = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = [], kind = #iree_gpu.data_tiled_mma_layout<intrinsic = MFMA_F32_16x16x16_F16, intrinsics_m = 2, operands_interleaving_intrinsics_m = [1]>, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = false>} : vector<2x4xf16>, vector<4xf16> into vector<2x4xf32>
  gpu.return
}
// -----
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %a = arith.constant dense<1.0> : vector<1x2x4x16x4xf16>
  %c = arith.constant dense<0.0> : vector<4x16x4xf32>
  // expected-error@+1 {{is divided among 2 subgroups of 64 threads (subgroups_k = 2), the workgroup has 64 threads, 1 of these}}
  %d = iree_gpu.multi_mma %a, %a, %c {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"], kind = #iree_gpu.data_tiled_mma_layout<intrinsic = MFMA_F32_16x16x16_F16, subgroups_k = 2>} : vector<1x2x4x16x4xf16>, vector<1x2x4x16x4xf16> into vector<4x16x4xf32>
  gpu.return
}
// -----
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %a = arith.constant dense<1.0> : vector<1x2x4x16x4xf16>
  %c = arith.constant dense<0.0> : vector<4x16x4xf32>
  // expected-error@+1 {{has subgroup_basis in its lowering_config, beside subgroups_k = 2 of iree_gpu.data_tiled_mma_layout}}
  %d = iree_gpu.multi_mma %a, %a, %c {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"], kind = #iree_gpu.data_tiled_mma_layout<intrinsic = MFMA_F32_16x16x16_F16, subgroups_k = 2>, lowering_config = #iree_gpu.lowering_config<{subgroup_basis = [[1], [0]]}>} : vector<1x2x4x16x4xf16>, vector<1x2x4x16x4xf16> into vector<4x16x4xf32>
  gpu.return
}
// -----
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.scope = "thread"} {
  %a = arith.constant dense<1.0> : vector<4xf16>
  %c = arith.constant dense<0.0> : vector<4xf32>
  // expected-error@+1 {{is of what a lane holds, with subgroups_k = 2}}
  %d = iree_gpu.multi_mma %a, %a, %c {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = [], kind = #iree_gpu.data_tiled_mma_layout<intrinsic = MFMA_F32_16x16x16_F16, subgroups_k = 2>} : vector<4xf16>, vector<4xf16> into vector<4xf32>
  gpu.return
}
// -----
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %a = arith.constant dense<1.0> : vector<4x16x4xf16>
  %c = arith.constant dense<0.0> : vector<4x16x4xf32>
  // expected-error@+1 {{permutes lhs, whose order is that of #iree_gpu.data_tiled_mma_layout<intrinsic = MFMA_F32_16x16x16_F16>}}
  %d = iree_gpu.multi_mma %a, %a, %c {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = [], kind = #iree_gpu.data_tiled_mma_layout<intrinsic = MFMA_F32_16x16x16_F16>, lhs_permutation = [1, 0, 2]} : vector<4x16x4xf16>, vector<4x16x4xf16> into vector<4x16x4xf32>
  gpu.return
}
// -----
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %a = arith.constant dense<1.0> : vector<8xf16>
  %b = arith.constant dense<1.0> : vector<4xf16>
  %c = arith.constant dense<0.0> : vector<4xf32>
  // expected-error@+1 {{is of #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16, col_major = true>, which lanewise does not compute tile by tile}}
  %d = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = [], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16, col_major = true>, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = true>} : vector<8xf16>, vector<4xf16> into vector<4xf32>
  gpu.return
}
// -----
func.func @f(%lhs: vector<4xf16>, %rhs: vector<4xf16>, %acc: vector<4xf32>) -> vector<4xf32> {
  // expected-error@+1 {{has 2 permutations for 3 operands}}
  %0 = iree_codegen.inner_tiled ins(%lhs, %rhs) outs(%acc) {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = [], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = false>, permutations = [array<i64: 0>, array<i64: 0>]} : vector<4xf16>, vector<4xf16> into vector<4xf32>
  return %0 : vector<4xf32>
}
// -----
func.func @f(%lhs: vector<4xf16>, %rhs: vector<4xf16>, %acc: vector<4xf32>) -> vector<4xf32> {
  // expected-error@+1 {{permutations are lists such as array<i64: 1, 0>, found 0 : i64}}
  %0 = iree_codegen.inner_tiled ins(%lhs, %rhs) outs(%acc) {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = [], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = false>, permutations = [0, 0, 0]} : vector<4xf16>, vector<4xf16> into vector<4xf32>
  return %0 : vector<4xf32>
}
