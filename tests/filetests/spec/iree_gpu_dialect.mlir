// The iree_gpu document, in its order: the examples of each operation as it gives them, what they take for granted being
// arguments; then the attributes. Left out are the loops with `amdgpu.mfma` on tensors, which it only sketches. What it
// says of shuffle_tensor between loops over threads runs in ../iree_gpu/shuffled.mlir.
// test roundtrip
// test verify
#contraction_accesses = [
 affine_map<(i, j, k) -> (i, k)>,
 affine_map<(i, j, k) -> (k, j)>,
 affine_map<(i, j, k) -> (i, j)>
]
#contraction_trait = {
  indexing_maps = #contraction_accesses,
  iterator_types = ["parallel", "parallel", "reduction"],
  kind = #iree_gpu.mma_layout<MFMA_F16_16x16x16_F32>
}
func.func @multi_mma(%0: vector<2x3x4xf16>, %1: vector<3x5x4xf16>, %2: vector<2x5x4xf32>,
                     %4: tensor<?x?x4xf16>, %5: tensor<?x?x4xf16>, %6: tensor<?x?x4xf32>) {
  %3 = iree_gpu.multi_mma %0, %1, %2 #contraction_trait
    : vector<2x3x4xf16>, vector<3x5x4xf16> into vector<2x5x4xf32>
  // Takes tensors as well, however the inner dimensions must always be
  // static.
  %7 = iree_gpu.multi_mma %4, %5, %6 #contraction_trait
    : tensor<?x?x4xf16>, tensor<?x?x4xf16> into tensor<?x?x4xf32>
  return
}
// -----
#contraction_accesses = [
 affine_map<() -> ()>,
 affine_map<() -> ()>,
 affine_map<() -> ()>
]
#contraction_trait = {
  indexing_maps = #contraction_accesses,
  iterator_types = [],
  kind = #iree_gpu.mma_layout<MFMA_F16_16x16x16_F32>
}
func.func @single(%0: vector<4xf16>, %1: vector<4xf16>, %2: vector<4xf32>) {
  %3 = iree_gpu.multi_mma %0, %1, %2 #contraction_trait
    : vector<4xf16>, vector<4xf16> into vector<4xf32>
  return
}
// -----
#contraction_accesses = [
 affine_map<(i, j, k) -> (i, k)>,
 affine_map<(i, j, k) -> (k, j)>,
 affine_map<(i, j, k) -> (i, j)>
]
#contraction_trait = {
  indexing_maps = #contraction_accesses,
  iterator_types = ["parallel", "parallel", "reduction"],
  kind = #iree_gpu.mma_layout<MFMA_F16_16x16x16_F32>,
  rhs_permutation = [1, 0]
}
func.func @mmt(%4: tensor<?x?x16x16xf16>, %5: tensor<?x?x16x16xf16>, %6: tensor<?x?x16x16xf32>) {
  %7 = iree_gpu.multi_mma %4, %5, %6 #contraction_trait
    : tensor<?x?x16x16xf16>, tensor<?x?x16x16xf16> into tensor<?x?x16x16xf32>
  return
}
// -----
func.func @shuffle_tensor(%in: tensor<2x4xf32>, %empty: tensor<4x128xf32>, %2: index, %3: index, %4: index) {
  %slice = iree_gpu.shuffle_tensor %in[%2, %3] [2, 4] [1, 1] to %empty {
  ^bb0(%intermediate: tensor<4x128xf32>):
    %slice = tensor.extract_slice %intermediate[0, %4] [4, 16] [1, 1] : tensor<4x128xf32> to tensor<4x16xf32>
    iree_gpu.yield %slice : tensor<4x16xf32>
  } : tensor<2x4xf32> -> tensor<4x128xf32> -> tensor<4x16xf32>
  %value = iree_gpu.value_barrier %slice : tensor<4x16xf32>
  return
}
// -----
module attributes {
  iree_gpu.compute = #iree_gpu.compute_bitwidths<fp64|fp32|fp16|int64|int32|int16|int8>,
  iree_gpu.derived = #iree_gpu.derived_thread_config,
  iree_gpu.dot = #iree_gpu.dotproduct_ops<dp4xi8toi32>,
  iree_gpu.iterator = #iree_gpu.iterator_type<parallel>,
  iree_gpu.lane = #iree_gpu.lane_id<0>,
  iree_gpu.config = #iree_gpu.lowering_config<{workgroup = [64, 64, 0], reduction = [0, 0, 32]}>,
  iree_gpu.intrinsics = [#iree_gpu.mma_intrinsic<MFMA_F16_16x16x16_F32>, #iree_gpu.mma_intrinsic<MFMA_F16_32x32x8_F32>,
                         #iree_gpu.mma_intrinsic<WMMA_F16_16x16x16_F32>, #iree_gpu.mma_intrinsic<WMMA_F16_16x16x16_F16>],
  iree_gpu.ops = #iree_gpu.mma_ops<[<MFMA_F16_16x16x16_F32>, <MFMA_F16_32x32x8_F32>]>,
  iree_gpu.schedule = #iree_gpu.mma_schedule<intrinsic = #iree_gpu.mma_layout<MFMA_F16_16x16x16_F32>, subgroup_m_count = 2, subgroup_n_count = 2>,
  iree_gpu.storage = #iree_gpu.storage_bitwidths<b64|b32|b16|b8>,
  iree_gpu.subgroup = #iree_gpu.subgroup_ops<shuffle|arithmetic>,
  iree_gpu.gpu = #iree_gpu.target<arch = "gfx942", features = "", wgp = <compute = fp32, storage = b32, subgroup = none, dot = none,
    mma = [<MFMA_F16_16x16x16_F32>], subgroup_size_choices = [64], max_workgroup_sizes = [1024, 1024, 1024],
    max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 65536>, chip = <wgp_count = 304>>
} {}
