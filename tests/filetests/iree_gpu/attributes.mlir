// Every attribute of the iree_gpu document, and today's, with what upstream rejects of each.
// test roundtrip
// test verify
module attributes {
  iree_gpu.a = #iree_gpu.compute_bitwidths<int8|fp16|fp16|fp64>, iree_gpu.b = #iree_gpu.storage_bitwidths<b64|b32|b16|b8>,
  iree_gpu.c = #iree_gpu.subgroup_ops<none|shuffle>, iree_gpu.d = #iree_gpu.subgroup_ops<none>,
  iree_gpu.e = #iree_gpu.dotproduct_ops<dp4xi8toi32>, iree_gpu.f = #iree_gpu.iterator_type<reduction>,
  iree_gpu.g = #iree_gpu.lane_id<3>, iree_gpu.h = #iree_gpu.derived_thread_config,
  iree_gpu.i = #iree_gpu.lowering_config<{workgroup = [64, 64, 0], mma_kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>}>,
  iree_gpu.j = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16, col_major = true>,
  iree_gpu.k = #iree_gpu.virtual_mma_layout<VMFMA_F32_16x16x32_F16, col_major = true>,
  iree_gpu.l = #iree_gpu.data_tiled_mma_layout<intrinsic = MFMA_F32_16x16x16_F16, intrinsics_m = 2, subgroups_n = 4, operands_interleaving_intrinsics_k = [0, 1]>,
  iree_gpu.m = #iree_gpu.mma_intrinsic<MFMA_F32_16x16x16_F16>, iree_gpu.n = #iree_gpu.mma_ops<[<MFMA_F32_16x16x16_F16>, <NV_MMA_SYNC_F32_16x8x8_F16>]>,
  iree_gpu.o = #iree_gpu.mma_schedule<intrinsic = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, subgroup_m_count = 2, subgroup_n_count = 1>,
  iree_gpu.p = #iree_gpu.pipeline_options<reorder_workgroups_strategy = <Transpose>, prefetch_num_stages = 2, use_igemm_convolution = false>,
  iree_gpu.q = #iree_gpu.target_chip<wgp_count = 304, sku = "mi300x", extra = {a = 1}>,
  iree_gpu.r = #iree_gpu.mma_semantics<distributed = true, opaque = false>,
  iree_gpu.s = #iree_gpu.target<arch = "gfx942", features = "", wgp = <compute = fp32, storage = b32, subgroup = shuffle, dot = none, mma = [<MFMA_F32_16x16x16_F16>, <MFMA_F32_32x32x8_F16>],
    subgroup_size_choices = [64], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 65536, extra = {b = "c"}>, chip = <wgp_count = 304>>
} {}
// -----
// The former names of instructions are read.
#f = #iree_gpu.mma_layout<MFMA_F16_16x16x16_F32>
module attributes {iree_gpu.a = [#iree_gpu.mma_intrinsic<MFMA_F16_32x32x8_F32>, #f, #iree_gpu.mma_layout<WMMA_F16_16x16x16_F32>, #iree_gpu.mma_layout<WMMA_F16_16x16x16_F16>]} {}
// -----
// expected-error@+1 {{expected one of fp64, fp32, fp16, int64, int32, int16, int8, fp8, fp6, fp4, found 'fp31'}}
module attributes {iree_gpu.a = #iree_gpu.compute_bitwidths<fp32|fp31>} {}
// -----
// expected-error@+1 {{expected one of b64, b32, b16, b8, found 'b4'}}
module attributes {iree_gpu.a = #iree_gpu.storage_bitwidths<b4>} {}
// -----
// expected-error@+1 {{expected one of none, shuffle, arithmetic, found 'all'}}
module attributes {iree_gpu.a = #iree_gpu.subgroup_ops<all>} {}
// -----
// expected-error@+1 {{expected one of none, dp4xi8toi32, found 'dp8'}}
module attributes {iree_gpu.a = #iree_gpu.dotproduct_ops<dp8>} {}
// -----
// expected-error@+1 {{expected one of parallel, reduction, found 'window'}}
module attributes {iree_gpu.a = #iree_gpu.iterator_type<window>} {}
// -----
// expected-error@+1 {{expected one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, found 'x'}}
module attributes {iree_gpu.a = #iree_gpu.lane_id<x>} {}
// -----
// expected-error@+1 {{MFMA_F32_16x16x15_F16 is no matrix instruction}}
module attributes {iree_gpu.a = #iree_gpu.mma_layout<MFMA_F32_16x16x15_F16>} {}
// -----
// expected-error@+1 {{VMFMA_F16 is no virtual matrix instruction}}
module attributes {iree_gpu.a = #iree_gpu.virtual_mma_layout<VMFMA_F16>} {}
// -----
// expected-error@+1 {{iree_gpu.data_tiled_mma_layout needs intrinsic}}
module attributes {iree_gpu.a = #iree_gpu.data_tiled_mma_layout<intrinsics_m = 2>} {}
// -----
// expected-error@+1 {{intrinsics_m must be positive, found 0}}
module attributes {iree_gpu.a = #iree_gpu.data_tiled_mma_layout<intrinsic = MFMA_F32_16x16x16_F16, intrinsics_m = 0>} {}
// -----
// expected-error@+1 {{operands_interleaving_intrinsics_k names operands 0 (lhs), 1 (rhs) and 2 (acc), found [7]}}
module attributes {iree_gpu.a = #iree_gpu.data_tiled_mma_layout<intrinsic = MFMA_F32_16x16x16_F16, operands_interleaving_intrinsics_k = [7]>} {}
// -----
// expected-error@+1 {{expected an attribute of MMALayout, found #iree_gpu.derived_thread_config}}
module attributes {iree_gpu.a = #iree_gpu.mma_ops<[#iree_gpu.derived_thread_config]>} {}
// -----
// expected-error@+1 {{intrinsic must be #iree_gpu.mma_layout<...>, found 3 : i64}}
module attributes {iree_gpu.a = #iree_gpu.mma_schedule<intrinsic = 3, subgroup_m_count = 1, subgroup_n_count = 1>} {}
// -----
// expected-error@+1 {{subgroup_n_count must be positive, found 0}}
module attributes {iree_gpu.a = #iree_gpu.mma_schedule<intrinsic = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, subgroup_m_count = 1, subgroup_n_count = 0>} {}
// -----
// expected-error@+1 {{expected one of prefetch_num_stages, no_reduce_shared_memory_bank_conflicts, use_igemm_convolution, reorder_workgroups_strategy, found 'stages'}}
module attributes {iree_gpu.a = #iree_gpu.pipeline_options<stages = 2>} {}
// -----
// expected-error@+1 {{expected one of Default, BaseLowering, Distribute, Vectorize, VectorDistribute, WinogradVectorize, TileAndFuse, found 'Fast'}}
module attributes {iree_gpu.a = #iree_gpu.pipeline<Fast>} {}
// -----
// expected-error@+1 {{iree_gpu.target_chip needs wgp_count}}
module attributes {iree_gpu.a = #iree_gpu.target_chip<sku = "x">} {}
// -----
// expected-error@+1 {{'wgp_count' is given twice}}
module attributes {iree_gpu.a = #iree_gpu.target_chip<wgp_count = 2, wgp_count = 2>} {}
// -----
// expected-error@+1 {{wgp_count must be positive, found 0}}
module attributes {iree_gpu.a = #iree_gpu.target_chip<wgp_count = 0>} {}
// -----
// expected-error@+1 {{iree_gpu.target_wgp needs storage, subgroup, subgroup_size_choices, max_workgroup_sizes, max_thread_count_per_workgroup, max_workgroup_memory_bytes}}
module attributes {iree_gpu.a = #iree_gpu.target_wgp<compute = fp32>} {}
// -----
// expected-error@+1 {{max_workgroup_sizes must be positive, found [1024, 0, 64]}}
module attributes {iree_gpu.a = #iree_gpu.target_wgp<compute = fp32, storage = b32, subgroup = none, subgroup_size_choices = [32],
  max_workgroup_sizes = [1024, 0, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 4096>} {}
// -----
// expected-error@+1 {{max_workgroup_sizes has one to 3 numbers, found []}}
module attributes {iree_gpu.a = #iree_gpu.target_wgp<compute = fp32, storage = b32, subgroup = none, subgroup_size_choices = [32],
  max_workgroup_sizes = [], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 4096>} {}
// -----
// expected-error@+1 {{max_workgroup_sizes has one to 3 numbers, found [1024, 1024, 64, 2]}}
module attributes {iree_gpu.a = #iree_gpu.target_wgp<compute = fp32, storage = b32, subgroup = none, subgroup_size_choices = [32],
  max_workgroup_sizes = [1024, 1024, 64, 2], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 4096>} {}
// -----
// expected-error@+1 {{subgroup_size_choices has at least one number, found []}}
module attributes {iree_gpu.a = #iree_gpu.target_wgp<compute = fp32, storage = b32, subgroup = none, subgroup_size_choices = [],
  max_workgroup_sizes = [1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 4096>} {}
// -----
// expected-error@+1 {{iree_gpu.target needs features, wgp}}
module attributes {iree_gpu.a = #iree_gpu.target<arch = "sm_80">} {}
