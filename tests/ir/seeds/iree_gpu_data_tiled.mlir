#mm = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
gpu.func @f(%A: memref<2x2x4x16x8xf16>, %B: memref<2x4x16x8xf16>, %C: memref<2x2x2x4x16x4xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<2x1x2x2x4x16x4xf32>
  %a0 = vector.transfer_read %A[%c0, %c0, %c0, %c0, %c0], %p {in_bounds = [true, true, true, true, true]} : memref<2x2x4x16x8xf16>, vector<2x2x4x16x8xf16>
  %b0 = vector.transfer_read %B[%c0, %c0, %c0, %c0], %p {in_bounds = [true, true, true, true]} : memref<2x4x16x8xf16>, vector<2x4x16x8xf16>
  %a = vector.shape_cast %a0 : vector<2x2x4x16x8xf16> to vector<2x1x2x4x16x2x4xf16>
  %b = vector.shape_cast %b0 : vector<2x4x16x8xf16> to vector<1x1x2x4x16x2x4xf16>
  %d = iree_gpu.multi_mma %a, %b, %zero {indexing_maps = #mm, iterator_types = ["parallel", "parallel", "reduction"],
    kind = #iree_gpu.data_tiled_mma_layout<intrinsic = MFMA_F32_16x16x16_F16, intrinsics_m = 2, subgroups_n = 2, intrinsics_k = 2, operands_interleaving_intrinsics_k = [0, 1]>}
    : vector<2x1x2x4x16x2x4xf16>, vector<1x1x2x4x16x2x4xf16> into vector<2x1x2x2x4x16x4xf32>
  %e = vector.shape_cast %d : vector<2x1x2x2x4x16x4xf32> to vector<2x2x2x4x16x4xf32>
  vector.transfer_write %e, %C[%c0, %c0, %c0, %c0, %c0, %c0] {in_bounds = [true, true, true, true, true, true]} : vector<2x2x2x4x16x4xf32>, memref<2x2x2x4x16x4xf32>
  gpu.return
}
