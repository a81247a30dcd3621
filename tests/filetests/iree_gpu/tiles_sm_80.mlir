// C = A B^T of 32x32 by NV_MMA_SYNC_F32_16x8x16_F16: whole tiles of the subgroup, what lanes hold unrolled, and as loops.
// 2 x 4 x 2 steps of 16x8x16: as many instructions, one in the loops' body.
// test roundtrip
// test run target=sm_80 data=written,exact
// lanewise.args A = normal(32, 32), B = normal(32, 32), C = empty(32, 32)
// expect sm_80: mma 16
#mmt = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
gpu.func @whole(%A: memref<32x32xf16>, %B: memref<32x32xf16>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<2x4x16x8xf32>
  %a0 = vector.transfer_read %A[%c0, %c0], %pad {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %b0 = vector.transfer_read %B[%c0, %c0], %pad {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %a1 = vector.shape_cast %a0 : vector<32x32xf16> to vector<2x16x2x16xf16>
  %b1 = vector.shape_cast %b0 : vector<32x32xf16> to vector<4x8x2x16xf16>
  %a = vector.transpose %a1, [0, 2, 1, 3] : vector<2x16x2x16xf16> to vector<2x2x16x16xf16>
  %b = vector.transpose %b1, [2, 0, 1, 3] : vector<4x8x2x16xf16> to vector<2x4x8x16xf16>
  %d = iree_gpu.multi_mma %a, %b, %zero {indexing_maps = #mmt, iterator_types = ["parallel", "parallel", "reduction"], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, rhs_permutation = [1, 0]} : vector<2x2x16x16xf16>, vector<2x4x8x16xf16> into vector<2x4x16x8xf32>
  %e = vector.transpose %d, [0, 2, 1, 3] : vector<2x4x16x8xf32> to vector<2x16x4x8xf32>
  %g = vector.shape_cast %e : vector<2x16x4x8xf32> to vector<32x32xf32>
  vector.transfer_write %g, %C[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
// -----
// lanewise.args A = normal(32, 32), B = normal(32, 32), C = empty(32, 32)
// expect sm_80: mma 16
#mmt = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
gpu.func @unrolled(%A: memref<32x32xf16>, %B: memref<32x32xf16>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %m = arith.constant 16 : index
  %n = arith.constant 8 : index
  %k = arith.constant 16 : index
  %pad = arith.constant 0.0 : f16
  %l = gpu.lane_id
  %hi, %lo = affine.delinearize_index %l into (8, 4) : index, index
  %o0 = arith.constant 0 : index
  %o4 = arith.constant 4 : index
  %o8 = arith.constant 8 : index
  %o12 = arith.constant 12 : index
  %o16 = arith.constant 16 : index
  %o20 = arith.constant 20 : index
  %o24 = arith.constant 24 : index
  %o28 = arith.constant 28 : index
  %a0 = arith.constant dense<0.0> : vector<2x2x2x2x1x2xf16>
  %r1 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o0)[%hi, %lo]
  %c2 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o0)[%hi, %lo]
  %p3 = vector.transfer_read %A[%r1, %c2], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %r4 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o0)[%hi, %lo]
  %c5 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2 + 8)>(%o0)[%hi, %lo]
  %p6 = vector.transfer_read %A[%r4, %c5], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %r7 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 8)>(%o0)[%hi, %lo]
  %c8 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o0)[%hi, %lo]
  %p9 = vector.transfer_read %A[%r7, %c8], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %r10 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 8)>(%o0)[%hi, %lo]
  %c11 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2 + 8)>(%o0)[%hi, %lo]
  %p12 = vector.transfer_read %A[%r10, %c11], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %z13 = arith.constant dense<0.0> : vector<8xf16>
  %i14 = vector.insert_strided_slice %p3, %z13 {offsets = [0], strides = [1]} : vector<2xf16> into vector<8xf16>
  %i15 = vector.insert_strided_slice %p6, %i14 {offsets = [2], strides = [1]} : vector<2xf16> into vector<8xf16>
  %i16 = vector.insert_strided_slice %p9, %i15 {offsets = [4], strides = [1]} : vector<2xf16> into vector<8xf16>
  %i17 = vector.insert_strided_slice %p12, %i16 {offsets = [6], strides = [1]} : vector<2xf16> into vector<8xf16>
  %f18 = vector.shape_cast %i17 : vector<8xf16> to vector<2x2x1x2xf16>
  %aw19 = vector.insert %f18, %a0 [0, 0] : vector<2x2x1x2xf16> into vector<2x2x2x2x1x2xf16>
  %r20 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o0)[%hi, %lo]
  %c21 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o16)[%hi, %lo]
  %p22 = vector.transfer_read %A[%r20, %c21], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %r23 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o0)[%hi, %lo]
  %c24 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2 + 8)>(%o16)[%hi, %lo]
  %p25 = vector.transfer_read %A[%r23, %c24], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %r26 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 8)>(%o0)[%hi, %lo]
  %c27 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o16)[%hi, %lo]
  %p28 = vector.transfer_read %A[%r26, %c27], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %r29 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 8)>(%o0)[%hi, %lo]
  %c30 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2 + 8)>(%o16)[%hi, %lo]
  %p31 = vector.transfer_read %A[%r29, %c30], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %z32 = arith.constant dense<0.0> : vector<8xf16>
  %i33 = vector.insert_strided_slice %p22, %z32 {offsets = [0], strides = [1]} : vector<2xf16> into vector<8xf16>
  %i34 = vector.insert_strided_slice %p25, %i33 {offsets = [2], strides = [1]} : vector<2xf16> into vector<8xf16>
  %i35 = vector.insert_strided_slice %p28, %i34 {offsets = [4], strides = [1]} : vector<2xf16> into vector<8xf16>
  %i36 = vector.insert_strided_slice %p31, %i35 {offsets = [6], strides = [1]} : vector<2xf16> into vector<8xf16>
  %f37 = vector.shape_cast %i36 : vector<8xf16> to vector<2x2x1x2xf16>
  %aw38 = vector.insert %f37, %aw19 [0, 1] : vector<2x2x1x2xf16> into vector<2x2x2x2x1x2xf16>
  %r39 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o16)[%hi, %lo]
  %c40 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o0)[%hi, %lo]
  %p41 = vector.transfer_read %A[%r39, %c40], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %r42 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o16)[%hi, %lo]
  %c43 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2 + 8)>(%o0)[%hi, %lo]
  %p44 = vector.transfer_read %A[%r42, %c43], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %r45 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 8)>(%o16)[%hi, %lo]
  %c46 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o0)[%hi, %lo]
  %p47 = vector.transfer_read %A[%r45, %c46], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %r48 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 8)>(%o16)[%hi, %lo]
  %c49 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2 + 8)>(%o0)[%hi, %lo]
  %p50 = vector.transfer_read %A[%r48, %c49], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %z51 = arith.constant dense<0.0> : vector<8xf16>
  %i52 = vector.insert_strided_slice %p41, %z51 {offsets = [0], strides = [1]} : vector<2xf16> into vector<8xf16>
  %i53 = vector.insert_strided_slice %p44, %i52 {offsets = [2], strides = [1]} : vector<2xf16> into vector<8xf16>
  %i54 = vector.insert_strided_slice %p47, %i53 {offsets = [4], strides = [1]} : vector<2xf16> into vector<8xf16>
  %i55 = vector.insert_strided_slice %p50, %i54 {offsets = [6], strides = [1]} : vector<2xf16> into vector<8xf16>
  %f56 = vector.shape_cast %i55 : vector<8xf16> to vector<2x2x1x2xf16>
  %aw57 = vector.insert %f56, %aw38 [1, 0] : vector<2x2x1x2xf16> into vector<2x2x2x2x1x2xf16>
  %r58 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o16)[%hi, %lo]
  %c59 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o16)[%hi, %lo]
  %p60 = vector.transfer_read %A[%r58, %c59], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %r61 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o16)[%hi, %lo]
  %c62 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2 + 8)>(%o16)[%hi, %lo]
  %p63 = vector.transfer_read %A[%r61, %c62], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %r64 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 8)>(%o16)[%hi, %lo]
  %c65 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o16)[%hi, %lo]
  %p66 = vector.transfer_read %A[%r64, %c65], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %r67 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 8)>(%o16)[%hi, %lo]
  %c68 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2 + 8)>(%o16)[%hi, %lo]
  %p69 = vector.transfer_read %A[%r67, %c68], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %z70 = arith.constant dense<0.0> : vector<8xf16>
  %i71 = vector.insert_strided_slice %p60, %z70 {offsets = [0], strides = [1]} : vector<2xf16> into vector<8xf16>
  %i72 = vector.insert_strided_slice %p63, %i71 {offsets = [2], strides = [1]} : vector<2xf16> into vector<8xf16>
  %i73 = vector.insert_strided_slice %p66, %i72 {offsets = [4], strides = [1]} : vector<2xf16> into vector<8xf16>
  %i74 = vector.insert_strided_slice %p69, %i73 {offsets = [6], strides = [1]} : vector<2xf16> into vector<8xf16>
  %f75 = vector.shape_cast %i74 : vector<8xf16> to vector<2x2x1x2xf16>
  %aw76 = vector.insert %f75, %aw57 [1, 1] : vector<2x2x1x2xf16> into vector<2x2x2x2x1x2xf16>
  %b0 = arith.constant dense<0.0> : vector<2x4x2x2xf16>
  %r77 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o0)[%hi, %lo]
  %c78 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o0)[%hi, %lo]
  %p79 = vector.transfer_read %B[%r77, %c78], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %r80 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o0)[%hi, %lo]
  %c81 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2 + 8)>(%o0)[%hi, %lo]
  %p82 = vector.transfer_read %B[%r80, %c81], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %z83 = arith.constant dense<0.0> : vector<4xf16>
  %i84 = vector.insert_strided_slice %p79, %z83 {offsets = [0], strides = [1]} : vector<2xf16> into vector<4xf16>
  %i85 = vector.insert_strided_slice %p82, %i84 {offsets = [2], strides = [1]} : vector<2xf16> into vector<4xf16>
  %f86 = vector.shape_cast %i85 : vector<4xf16> to vector<2x2xf16>
  %bw87 = vector.insert %f86, %b0 [0, 0] : vector<2x2xf16> into vector<2x4x2x2xf16>
  %r88 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o8)[%hi, %lo]
  %c89 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o0)[%hi, %lo]
  %p90 = vector.transfer_read %B[%r88, %c89], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %r91 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o8)[%hi, %lo]
  %c92 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2 + 8)>(%o0)[%hi, %lo]
  %p93 = vector.transfer_read %B[%r91, %c92], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %z94 = arith.constant dense<0.0> : vector<4xf16>
  %i95 = vector.insert_strided_slice %p90, %z94 {offsets = [0], strides = [1]} : vector<2xf16> into vector<4xf16>
  %i96 = vector.insert_strided_slice %p93, %i95 {offsets = [2], strides = [1]} : vector<2xf16> into vector<4xf16>
  %f97 = vector.shape_cast %i96 : vector<4xf16> to vector<2x2xf16>
  %bw98 = vector.insert %f97, %bw87 [0, 1] : vector<2x2xf16> into vector<2x4x2x2xf16>
  %r99 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o16)[%hi, %lo]
  %c100 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o0)[%hi, %lo]
  %p101 = vector.transfer_read %B[%r99, %c100], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %r102 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o16)[%hi, %lo]
  %c103 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2 + 8)>(%o0)[%hi, %lo]
  %p104 = vector.transfer_read %B[%r102, %c103], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %z105 = arith.constant dense<0.0> : vector<4xf16>
  %i106 = vector.insert_strided_slice %p101, %z105 {offsets = [0], strides = [1]} : vector<2xf16> into vector<4xf16>
  %i107 = vector.insert_strided_slice %p104, %i106 {offsets = [2], strides = [1]} : vector<2xf16> into vector<4xf16>
  %f108 = vector.shape_cast %i107 : vector<4xf16> to vector<2x2xf16>
  %bw109 = vector.insert %f108, %bw98 [0, 2] : vector<2x2xf16> into vector<2x4x2x2xf16>
  %r110 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o24)[%hi, %lo]
  %c111 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o0)[%hi, %lo]
  %p112 = vector.transfer_read %B[%r110, %c111], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %r113 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o24)[%hi, %lo]
  %c114 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2 + 8)>(%o0)[%hi, %lo]
  %p115 = vector.transfer_read %B[%r113, %c114], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %z116 = arith.constant dense<0.0> : vector<4xf16>
  %i117 = vector.insert_strided_slice %p112, %z116 {offsets = [0], strides = [1]} : vector<2xf16> into vector<4xf16>
  %i118 = vector.insert_strided_slice %p115, %i117 {offsets = [2], strides = [1]} : vector<2xf16> into vector<4xf16>
  %f119 = vector.shape_cast %i118 : vector<4xf16> to vector<2x2xf16>
  %bw120 = vector.insert %f119, %bw109 [0, 3] : vector<2x2xf16> into vector<2x4x2x2xf16>
  %r121 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o0)[%hi, %lo]
  %c122 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o16)[%hi, %lo]
  %p123 = vector.transfer_read %B[%r121, %c122], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %r124 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o0)[%hi, %lo]
  %c125 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2 + 8)>(%o16)[%hi, %lo]
  %p126 = vector.transfer_read %B[%r124, %c125], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %z127 = arith.constant dense<0.0> : vector<4xf16>
  %i128 = vector.insert_strided_slice %p123, %z127 {offsets = [0], strides = [1]} : vector<2xf16> into vector<4xf16>
  %i129 = vector.insert_strided_slice %p126, %i128 {offsets = [2], strides = [1]} : vector<2xf16> into vector<4xf16>
  %f130 = vector.shape_cast %i129 : vector<4xf16> to vector<2x2xf16>
  %bw131 = vector.insert %f130, %bw120 [1, 0] : vector<2x2xf16> into vector<2x4x2x2xf16>
  %r132 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o8)[%hi, %lo]
  %c133 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o16)[%hi, %lo]
  %p134 = vector.transfer_read %B[%r132, %c133], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %r135 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o8)[%hi, %lo]
  %c136 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2 + 8)>(%o16)[%hi, %lo]
  %p137 = vector.transfer_read %B[%r135, %c136], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %z138 = arith.constant dense<0.0> : vector<4xf16>
  %i139 = vector.insert_strided_slice %p134, %z138 {offsets = [0], strides = [1]} : vector<2xf16> into vector<4xf16>
  %i140 = vector.insert_strided_slice %p137, %i139 {offsets = [2], strides = [1]} : vector<2xf16> into vector<4xf16>
  %f141 = vector.shape_cast %i140 : vector<4xf16> to vector<2x2xf16>
  %bw142 = vector.insert %f141, %bw131 [1, 1] : vector<2x2xf16> into vector<2x4x2x2xf16>
  %r143 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o16)[%hi, %lo]
  %c144 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o16)[%hi, %lo]
  %p145 = vector.transfer_read %B[%r143, %c144], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %r146 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o16)[%hi, %lo]
  %c147 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2 + 8)>(%o16)[%hi, %lo]
  %p148 = vector.transfer_read %B[%r146, %c147], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %z149 = arith.constant dense<0.0> : vector<4xf16>
  %i150 = vector.insert_strided_slice %p145, %z149 {offsets = [0], strides = [1]} : vector<2xf16> into vector<4xf16>
  %i151 = vector.insert_strided_slice %p148, %i150 {offsets = [2], strides = [1]} : vector<2xf16> into vector<4xf16>
  %f152 = vector.shape_cast %i151 : vector<4xf16> to vector<2x2xf16>
  %bw153 = vector.insert %f152, %bw142 [1, 2] : vector<2x2xf16> into vector<2x4x2x2xf16>
  %r154 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o24)[%hi, %lo]
  %c155 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o16)[%hi, %lo]
  %p156 = vector.transfer_read %B[%r154, %c155], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %r157 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o24)[%hi, %lo]
  %c158 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2 + 8)>(%o16)[%hi, %lo]
  %p159 = vector.transfer_read %B[%r157, %c158], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
  %z160 = arith.constant dense<0.0> : vector<4xf16>
  %i161 = vector.insert_strided_slice %p156, %z160 {offsets = [0], strides = [1]} : vector<2xf16> into vector<4xf16>
  %i162 = vector.insert_strided_slice %p159, %i161 {offsets = [2], strides = [1]} : vector<2xf16> into vector<4xf16>
  %f163 = vector.shape_cast %i162 : vector<4xf16> to vector<2x2xf16>
  %bw164 = vector.insert %f163, %bw153 [1, 3] : vector<2x2xf16> into vector<2x4x2x2xf16>
  %zero = arith.constant dense<0.0> : vector<2x4x2x2xf32>
  %d = iree_gpu.multi_mma %aw76, %bw164, %zero {indexing_maps = #mmt, iterator_types = ["parallel", "parallel", "reduction"], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>} : vector<2x2x2x2x1x2xf16>, vector<2x4x2x2xf16> into vector<2x4x2x2xf32>
  %d165 = vector.extract %d[0, 0] : vector<2x2xf32> from vector<2x4x2x2xf32>
  %f166 = vector.shape_cast %d165 : vector<2x2xf32> to vector<4xf32>
  %r167 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o0)[%hi, %lo]
  %c168 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o0)[%hi, %lo]
  %p169 = vector.extract_strided_slice %f166 {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
  vector.transfer_write %p169, %C[%r167, %c168] {in_bounds = [true]} : vector<2xf32>, memref<32x32xf32>
  %r170 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 8)>(%o0)[%hi, %lo]
  %c171 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o0)[%hi, %lo]
  %p172 = vector.extract_strided_slice %f166 {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
  vector.transfer_write %p172, %C[%r170, %c171] {in_bounds = [true]} : vector<2xf32>, memref<32x32xf32>
  %d173 = vector.extract %d[0, 1] : vector<2x2xf32> from vector<2x4x2x2xf32>
  %f174 = vector.shape_cast %d173 : vector<2x2xf32> to vector<4xf32>
  %r175 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o0)[%hi, %lo]
  %c176 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o8)[%hi, %lo]
  %p177 = vector.extract_strided_slice %f174 {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
  vector.transfer_write %p177, %C[%r175, %c176] {in_bounds = [true]} : vector<2xf32>, memref<32x32xf32>
  %r178 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 8)>(%o0)[%hi, %lo]
  %c179 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o8)[%hi, %lo]
  %p180 = vector.extract_strided_slice %f174 {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
  vector.transfer_write %p180, %C[%r178, %c179] {in_bounds = [true]} : vector<2xf32>, memref<32x32xf32>
  %d181 = vector.extract %d[0, 2] : vector<2x2xf32> from vector<2x4x2x2xf32>
  %f182 = vector.shape_cast %d181 : vector<2x2xf32> to vector<4xf32>
  %r183 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o0)[%hi, %lo]
  %c184 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o16)[%hi, %lo]
  %p185 = vector.extract_strided_slice %f182 {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
  vector.transfer_write %p185, %C[%r183, %c184] {in_bounds = [true]} : vector<2xf32>, memref<32x32xf32>
  %r186 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 8)>(%o0)[%hi, %lo]
  %c187 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o16)[%hi, %lo]
  %p188 = vector.extract_strided_slice %f182 {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
  vector.transfer_write %p188, %C[%r186, %c187] {in_bounds = [true]} : vector<2xf32>, memref<32x32xf32>
  %d189 = vector.extract %d[0, 3] : vector<2x2xf32> from vector<2x4x2x2xf32>
  %f190 = vector.shape_cast %d189 : vector<2x2xf32> to vector<4xf32>
  %r191 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o0)[%hi, %lo]
  %c192 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o24)[%hi, %lo]
  %p193 = vector.extract_strided_slice %f190 {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
  vector.transfer_write %p193, %C[%r191, %c192] {in_bounds = [true]} : vector<2xf32>, memref<32x32xf32>
  %r194 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 8)>(%o0)[%hi, %lo]
  %c195 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o24)[%hi, %lo]
  %p196 = vector.extract_strided_slice %f190 {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
  vector.transfer_write %p196, %C[%r194, %c195] {in_bounds = [true]} : vector<2xf32>, memref<32x32xf32>
  %d197 = vector.extract %d[1, 0] : vector<2x2xf32> from vector<2x4x2x2xf32>
  %f198 = vector.shape_cast %d197 : vector<2x2xf32> to vector<4xf32>
  %r199 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o16)[%hi, %lo]
  %c200 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o0)[%hi, %lo]
  %p201 = vector.extract_strided_slice %f198 {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
  vector.transfer_write %p201, %C[%r199, %c200] {in_bounds = [true]} : vector<2xf32>, memref<32x32xf32>
  %r202 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 8)>(%o16)[%hi, %lo]
  %c203 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o0)[%hi, %lo]
  %p204 = vector.extract_strided_slice %f198 {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
  vector.transfer_write %p204, %C[%r202, %c203] {in_bounds = [true]} : vector<2xf32>, memref<32x32xf32>
  %d205 = vector.extract %d[1, 1] : vector<2x2xf32> from vector<2x4x2x2xf32>
  %f206 = vector.shape_cast %d205 : vector<2x2xf32> to vector<4xf32>
  %r207 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o16)[%hi, %lo]
  %c208 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o8)[%hi, %lo]
  %p209 = vector.extract_strided_slice %f206 {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
  vector.transfer_write %p209, %C[%r207, %c208] {in_bounds = [true]} : vector<2xf32>, memref<32x32xf32>
  %r210 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 8)>(%o16)[%hi, %lo]
  %c211 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o8)[%hi, %lo]
  %p212 = vector.extract_strided_slice %f206 {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
  vector.transfer_write %p212, %C[%r210, %c211] {in_bounds = [true]} : vector<2xf32>, memref<32x32xf32>
  %d213 = vector.extract %d[1, 2] : vector<2x2xf32> from vector<2x4x2x2xf32>
  %f214 = vector.shape_cast %d213 : vector<2x2xf32> to vector<4xf32>
  %r215 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o16)[%hi, %lo]
  %c216 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o16)[%hi, %lo]
  %p217 = vector.extract_strided_slice %f214 {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
  vector.transfer_write %p217, %C[%r215, %c216] {in_bounds = [true]} : vector<2xf32>, memref<32x32xf32>
  %r218 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 8)>(%o16)[%hi, %lo]
  %c219 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o16)[%hi, %lo]
  %p220 = vector.extract_strided_slice %f214 {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
  vector.transfer_write %p220, %C[%r218, %c219] {in_bounds = [true]} : vector<2xf32>, memref<32x32xf32>
  %d221 = vector.extract %d[1, 3] : vector<2x2xf32> from vector<2x4x2x2xf32>
  %f222 = vector.shape_cast %d221 : vector<2x2xf32> to vector<4xf32>
  %r223 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%o16)[%hi, %lo]
  %c224 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o24)[%hi, %lo]
  %p225 = vector.extract_strided_slice %f222 {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
  vector.transfer_write %p225, %C[%r223, %c224] {in_bounds = [true]} : vector<2xf32>, memref<32x32xf32>
  %r226 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 8)>(%o16)[%hi, %lo]
  %c227 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%o24)[%hi, %lo]
  %p228 = vector.extract_strided_slice %f222 {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
  vector.transfer_write %p228, %C[%r226, %c227] {in_bounds = [true]} : vector<2xf32>, memref<32x32xf32>
  gpu.return
}
// -----
// lanewise.args A = normal(32, 32), B = normal(32, 32), C = empty(32, 32)
// expect sm_80: mma 1, executed mma 16
#none = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>]
gpu.func @loops(%A: memref<32x32xf16>, %B: memref<32x32xf16>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %m = arith.constant 16 : index
  %n = arith.constant 8 : index
  %k = arith.constant 16 : index
  %pad = arith.constant 0.0 : f16
  %l = gpu.lane_id
  %hi, %lo = affine.delinearize_index %l into (8, 4) : index, index
  %zero = arith.constant dense<0.0> : vector<2x2xf32>
  scf.for %i = %c0 to %c32 step %m {
    scf.for %j = %c0 to %c32 step %n {
      %sum = scf.for %h = %c0 to %c32 step %k iter_args(%acc = %zero) -> (vector<2x2xf32>) {
        %r1 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%i)[%hi, %lo]
        %c2 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%h)[%hi, %lo]
        %p3 = vector.transfer_read %A[%r1, %c2], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
        %r4 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 8)>(%i)[%hi, %lo]
        %c5 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%h)[%hi, %lo]
        %p6 = vector.transfer_read %A[%r4, %c5], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
        %r7 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%i)[%hi, %lo]
        %c8 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2 + 8)>(%h)[%hi, %lo]
        %p9 = vector.transfer_read %A[%r7, %c8], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
        %r10 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 8)>(%i)[%hi, %lo]
        %c11 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2 + 8)>(%h)[%hi, %lo]
        %p12 = vector.transfer_read %A[%r10, %c11], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
        %z13 = arith.constant dense<0.0> : vector<8xf16>
        %i14 = vector.insert_strided_slice %p3, %z13 {offsets = [0], strides = [1]} : vector<2xf16> into vector<8xf16>
        %i15 = vector.insert_strided_slice %p6, %i14 {offsets = [2], strides = [1]} : vector<2xf16> into vector<8xf16>
        %i16 = vector.insert_strided_slice %p9, %i15 {offsets = [4], strides = [1]} : vector<2xf16> into vector<8xf16>
        %i17 = vector.insert_strided_slice %p12, %i16 {offsets = [6], strides = [1]} : vector<2xf16> into vector<8xf16>
        %f18 = vector.shape_cast %i17 : vector<8xf16> to vector<4x2xf16>
        %r19 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%j)[%hi, %lo]
        %c20 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%h)[%hi, %lo]
        %p21 = vector.transfer_read %B[%r19, %c20], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
        %r22 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%j)[%hi, %lo]
        %c23 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2 + 8)>(%h)[%hi, %lo]
        %p24 = vector.transfer_read %B[%r22, %c23], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<2xf16>
        %z25 = arith.constant dense<0.0> : vector<4xf16>
        %i26 = vector.insert_strided_slice %p21, %z25 {offsets = [0], strides = [1]} : vector<2xf16> into vector<4xf16>
        %i27 = vector.insert_strided_slice %p24, %i26 {offsets = [2], strides = [1]} : vector<2xf16> into vector<4xf16>
        %f28 = vector.shape_cast %i27 : vector<4xf16> to vector<2x2xf16>
        %next = iree_codegen.inner_tiled ins(%f18, %f28) outs(%acc) <indexing_maps = #none, iterator_types = [], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = false>> : vector<4x2xf16>, vector<2x2xf16> into vector<2x2xf32>
        scf.yield %next : vector<2x2xf32>
      }
      %f29 = vector.shape_cast %sum : vector<2x2xf32> to vector<4xf32>
      %r30 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0)>(%i)[%hi, %lo]
      %c31 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%j)[%hi, %lo]
      %p32 = vector.extract_strided_slice %f29 {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
      vector.transfer_write %p32, %C[%r30, %c31] {in_bounds = [true]} : vector<2xf32>, memref<32x32xf32>
      %r33 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 8)>(%i)[%hi, %lo]
      %c34 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1 * 2)>(%j)[%hi, %lo]
      %p35 = vector.extract_strided_slice %f29 {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
      vector.transfer_write %p35, %C[%r33, %c34] {in_bounds = [true]} : vector<2xf32>, memref<32x32xf32>
    }
  }
  gpu.return
}
