// Subgroups share out K of a data-tiled layout: each of two has the products of its half of every tile of K, and their sums
// are added once, through shared memory: one barrier behind the loop. Two tiles of K, of two instructions a subgroup: 2 * 2 for
// each of its sums, of which the loop's body has two.
// test roundtrip
// test run target=gfx942
// lanewise.args A = integers(-3, 3, 2, 2, 2, 4, 16, 4), B = integers(-3, 3, 2, 2, 2, 4, 16, 4), C = integers(-3, 3, 4, 16, 4)
// expect gfx942: mma 4, barriers 1
#mm = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>]
gpu.func @tile(%A: memref<2x2x2x4x16x4xf16>, %B: memref<2x2x2x4x16x4xf16>, %C: memref<4x16x4xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %q = arith.constant 0.0 : f32
  %a = vector.transfer_read %A[%c0, %c0, %c0, %c0, %c0, %c0], %p {in_bounds = [true, true, true, true, true, true]} : memref<2x2x2x4x16x4xf16>, vector<2x2x2x4x16x4xf16>
  %b = vector.transfer_read %B[%c0, %c0, %c0, %c0, %c0, %c0], %p {in_bounds = [true, true, true, true, true, true]} : memref<2x2x2x4x16x4xf16>, vector<2x2x2x4x16x4xf16>
  %c = vector.transfer_read %C[%c0, %c0, %c0], %q {in_bounds = [true, true, true]} : memref<4x16x4xf32>, vector<4x16x4xf32>
  %d = iree_gpu.multi_mma %a, %b, %c {indexing_maps = #mm, iterator_types = ["reduction"],
    kind = #iree_gpu.data_tiled_mma_layout<intrinsic = MFMA_F32_16x16x16_F16, intrinsics_k = 2, subgroups_k = 2>}
    : vector<2x2x2x4x16x4xf16>, vector<2x2x2x4x16x4xf16> into vector<4x16x4xf32>
  vector.transfer_write %d, %C[%c0, %c0, %c0] {in_bounds = [true, true, true]} : vector<4x16x4xf32>, memref<4x16x4xf32>
  gpu.return
}
// -----
// lanewise.args A = integers(-3, 3, 8, 2, 2, 4, 16, 4), B = integers(-3, 3, 8, 2, 4, 16, 4), C = integers(-3, 3, 2, 4, 16, 4)
// expect gfx942: mma 1, barriers 1
#mm = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>]
gpu.func @loop(%A: memref<8x2x2x4x16x4xf16>, %B: memref<8x2x4x16x4xf16>, %C: memref<2x4x16x4xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %q = arith.constant 0.0 : f32
  %a = vector.transfer_read %A[%c0, %c0, %c0, %c0, %c0, %c0], %p {in_bounds = [true, true, true, true, true, true]} : memref<8x2x2x4x16x4xf16>, vector<8x2x2x4x16x4xf16>
  %b = vector.transfer_read %B[%c0, %c0, %c0, %c0, %c0], %p {in_bounds = [true, true, true, true, true]} : memref<8x2x4x16x4xf16>, vector<8x2x4x16x4xf16>
  %c = vector.transfer_read %C[%c0, %c0, %c0, %c0], %q {in_bounds = [true, true, true, true]} : memref<2x4x16x4xf32>, vector<2x4x16x4xf32>
  %d = iree_gpu.multi_mma %a, %b, %c {indexing_maps = #mm, iterator_types = ["reduction"], lowering_config = #iree_gpu.lowering_config<{reduction = [1]}>,
    kind = #iree_gpu.data_tiled_mma_layout<intrinsic = MFMA_F32_16x16x16_F16, subgroups_m = 2, subgroups_k = 2>}
    : vector<8x2x2x4x16x4xf16>, vector<8x2x4x16x4xf16> into vector<2x4x16x4xf32>
  vector.transfer_write %d, %C[%c0, %c0, %c0, %c0] {in_bounds = [true, true, true, true]} : vector<2x4x16x4xf32>, memref<2x4x16x4xf32>
  gpu.return
}
