// What a lane holds of data-tiled operands: two subgroups side by side, each with two instructions of rows and two steps
// along K. A lane has of A two fours of each row of instructions, of B two fours, of C a four for each: 2 * 2 instructions.
// test roundtrip
// test run target=gfx942 data=written,exact
// lanewise.args A = integers(-3, 3, 2, 4, 16, 2, 4), B = integers(-3, 3, 2, 4, 16, 2, 4), C = empty(2, 2, 4, 16, 4)
// expect gfx942: mma 4, loads 3, stores 2, shuffles 0, barriers 0
#mm = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>]
gpu.func @f(%A: memref<2x4x16x2x4xf16>, %B: memref<2x4x16x2x4xf16>, %C: memref<2x2x4x16x4xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %t = gpu.thread_id x
  %n, %hi, %lo = affine.delinearize_index %t into (2, 4, 16) : index, index, index
  %a = vector.transfer_read %A[%c0, %hi, %lo, %c0, %c0], %p {in_bounds = [true, true, true], permutation_map = affine_map<(i, h, l, s, e) -> (i, s, e)>} : memref<2x4x16x2x4xf16>, vector<2x2x4xf16>
  %b = vector.transfer_read %B[%n, %hi, %lo, %c0, %c0], %p {in_bounds = [true, true]} : memref<2x4x16x2x4xf16>, vector<2x4xf16>
  %zero = arith.constant dense<0.0> : vector<2x4xf32>
  %d = iree_codegen.inner_tiled ins(%a, %b) outs(%zero) {indexing_maps = #mm, iterator_types = [],
    kind = #iree_gpu.data_tiled_mma_layout<intrinsic = MFMA_F32_16x16x16_F16, intrinsics_m = 2, subgroups_n = 2, intrinsics_k = 2, operands_interleaving_intrinsics_k = [0, 1]>,
    semantics = #iree_gpu.mma_semantics<distributed = true, opaque = false>} : vector<2x2x4xf16>, vector<2x4xf16> into vector<2x4xf32>
  vector.transfer_write %d, %C[%n, %c0, %hi, %lo, %c0] {in_bounds = [true, true], permutation_map = affine_map<(n, i, h, l, e) -> (i, e)>} : vector<2x4xf32>, memref<2x2x4x16x4xf32>
  gpu.return
}
// -----
// A's rows and C's columns are interleaved: their instructions lie behind the lanes, so that one access serves both. Two
// places along the outer i, whose products are added to what is there.
// lanewise.args A = integers(-3, 3, 2, 4, 16, 2, 4), B = integers(-3, 3, 3, 4, 16, 4), C = integers(-3, 3, 2, 2, 4, 16, 3, 4)
// expect gfx942: mma 12
#mm = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>]
gpu.func @f(%A: memref<2x4x16x2x4xf16>, %B: memref<3x4x16x4xf16>, %C: memref<2x2x4x16x3x4xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant 0.0 : f32
  %t = gpu.thread_id x
  %hi, %lo = affine.delinearize_index %t into (4, 16) : index, index
  %a = vector.transfer_read %A[%c0, %hi, %lo, %c0, %c0], %p {in_bounds = [true, true, true], permutation_map = affine_map<(i, h, l, s, e) -> (i, s, e)>} : memref<2x4x16x2x4xf16>, vector<2x2x4xf16>
  %b = vector.transfer_read %B[%c0, %hi, %lo, %c0], %p {in_bounds = [true, true], permutation_map = affine_map<(j, h, l, e) -> (j, e)>} : memref<3x4x16x4xf16>, vector<3x4xf16>
  %c = vector.transfer_read %C[%c0, %c0, %hi, %lo, %c0, %c0], %z {in_bounds = [true, true, true, true], permutation_map = affine_map<(i, m, h, l, n, e) -> (i, m, n, e)>} : memref<2x2x4x16x3x4xf32>, vector<2x2x3x4xf32>
  %d = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = #mm, iterator_types = [#linalg.iterator_type<parallel>],
    kind = #iree_gpu.data_tiled_mma_layout<intrinsic = MFMA_F32_16x16x16_F16, intrinsics_m = 2, intrinsics_n = 3, operands_interleaving_intrinsics_m = [0], operands_interleaving_intrinsics_n = [2]>,
    semantics = #iree_gpu.mma_semantics<distributed = true, opaque = false>} : vector<2x2x4xf16>, vector<3x4xf16> into vector<2x2x3x4xf32>
  vector.transfer_write %d, %C[%c0, %c0, %hi, %lo, %c0, %c0] {in_bounds = [true, true, true, true], permutation_map = affine_map<(i, m, h, l, n, e) -> (i, m, n, e)>} : vector<2x2x3x4xf32>, memref<2x2x4x16x3x4xf32>
  gpu.return
}
