// C = A B^T of 32x32 by WMMAR3_F32_16x16x16_F16: whole tiles of the subgroup, what lanes hold unrolled, and as loops.
// 2 x 2 x 2 steps of 16x16x16: as many instructions, one in the loops' body.
// test roundtrip
// test run target=gfx1100 data=written,exact
// lanewise.args A = normal(32, 32), B = normal(32, 32), C = empty(32, 32)
// expect gfx1100: mma 8
#mmt = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
gpu.func @whole(%A: memref<32x32xf16>, %B: memref<32x32xf16>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<2x2x16x16xf32>
  %a0 = vector.transfer_read %A[%c0, %c0], %pad {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %b0 = vector.transfer_read %B[%c0, %c0], %pad {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %a1 = vector.shape_cast %a0 : vector<32x32xf16> to vector<2x16x2x16xf16>
  %b1 = vector.shape_cast %b0 : vector<32x32xf16> to vector<2x16x2x16xf16>
  %a = vector.transpose %a1, [0, 2, 1, 3] : vector<2x16x2x16xf16> to vector<2x2x16x16xf16>
  %b = vector.transpose %b1, [2, 0, 1, 3] : vector<2x16x2x16xf16> to vector<2x2x16x16xf16>
  %d = iree_gpu.multi_mma %a, %b, %zero {indexing_maps = #mmt, iterator_types = ["parallel", "parallel", "reduction"], kind = #iree_gpu.mma_layout<WMMAR3_F32_16x16x16_F16>, rhs_permutation = [1, 0]} : vector<2x2x16x16xf16>, vector<2x2x16x16xf16> into vector<2x2x16x16xf32>
  %e = vector.transpose %d, [0, 2, 1, 3] : vector<2x2x16x16xf32> to vector<2x16x2x16xf32>
  %g = vector.shape_cast %e : vector<2x16x2x16xf32> to vector<32x32xf32>
  vector.transfer_write %g, %C[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
// -----
// lanewise.args A = normal(32, 32), B = normal(32, 32), C = empty(32, 32)
// expect gfx1100: mma 8
#mmt = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
gpu.func @unrolled(%A: memref<32x32xf16>, %B: memref<32x32xf16>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %m = arith.constant 16 : index
  %n = arith.constant 16 : index
  %k = arith.constant 16 : index
  %pad = arith.constant 0.0 : f16
  %l = gpu.lane_id
  %hi, %lo = affine.delinearize_index %l into (2, 16) : index, index
  %o0 = arith.constant 0 : index
  %o4 = arith.constant 4 : index
  %o8 = arith.constant 8 : index
  %o12 = arith.constant 12 : index
  %o16 = arith.constant 16 : index
  %o20 = arith.constant 20 : index
  %o24 = arith.constant 24 : index
  %o28 = arith.constant 28 : index
  %a0 = arith.constant dense<0.0> : vector<2x2x16xf16>
  %r1 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %c2 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + 0)>(%o0)[%hi, %lo]
  %p3 = vector.transfer_read %A[%r1, %c2], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<16xf16>
  %aw4 = vector.insert %p3, %a0 [0, 0] : vector<16xf16> into vector<2x2x16xf16>
  %r5 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %c6 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + 0)>(%o16)[%hi, %lo]
  %p7 = vector.transfer_read %A[%r5, %c6], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<16xf16>
  %aw8 = vector.insert %p7, %aw4 [0, 1] : vector<16xf16> into vector<2x2x16xf16>
  %r9 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %c10 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + 0)>(%o0)[%hi, %lo]
  %p11 = vector.transfer_read %A[%r9, %c10], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<16xf16>
  %aw12 = vector.insert %p11, %aw8 [1, 0] : vector<16xf16> into vector<2x2x16xf16>
  %r13 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %c14 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + 0)>(%o16)[%hi, %lo]
  %p15 = vector.transfer_read %A[%r13, %c14], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<16xf16>
  %aw16 = vector.insert %p15, %aw12 [1, 1] : vector<16xf16> into vector<2x2x16xf16>
  %b0 = arith.constant dense<0.0> : vector<2x2x16xf16>
  %r17 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %c18 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + 0)>(%o0)[%hi, %lo]
  %p19 = vector.transfer_read %B[%r17, %c18], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<16xf16>
  %bw20 = vector.insert %p19, %b0 [0, 0] : vector<16xf16> into vector<2x2x16xf16>
  %r21 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %c22 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + 0)>(%o0)[%hi, %lo]
  %p23 = vector.transfer_read %B[%r21, %c22], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<16xf16>
  %bw24 = vector.insert %p23, %bw20 [0, 1] : vector<16xf16> into vector<2x2x16xf16>
  %r25 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %c26 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + 0)>(%o16)[%hi, %lo]
  %p27 = vector.transfer_read %B[%r25, %c26], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<16xf16>
  %bw28 = vector.insert %p27, %bw24 [1, 0] : vector<16xf16> into vector<2x2x16xf16>
  %r29 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %c30 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + 0)>(%o16)[%hi, %lo]
  %p31 = vector.transfer_read %B[%r29, %c30], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<16xf16>
  %bw32 = vector.insert %p31, %bw28 [1, 1] : vector<16xf16> into vector<2x2x16xf16>
  %zero = arith.constant dense<0.0> : vector<2x2x8xf32>
  %d = iree_gpu.multi_mma %aw16, %bw32, %zero {indexing_maps = #mmt, iterator_types = ["parallel", "parallel", "reduction"], kind = #iree_gpu.mma_layout<WMMAR3_F32_16x16x16_F16>} : vector<2x2x16xf16>, vector<2x2x16xf16> into vector<2x2x8xf32>
  %d33 = vector.extract %d[0, 0] : vector<8xf32> from vector<2x2x8xf32>
  %r34 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 0)>(%o0)[%hi, %lo]
  %c35 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %p36 = vector.extract_strided_slice %d33 {offsets = [0], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p36, %C[%r34, %c35] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r37 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 2)>(%o0)[%hi, %lo]
  %c38 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %p39 = vector.extract_strided_slice %d33 {offsets = [1], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p39, %C[%r37, %c38] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r40 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 4)>(%o0)[%hi, %lo]
  %c41 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %p42 = vector.extract_strided_slice %d33 {offsets = [2], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p42, %C[%r40, %c41] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r43 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 6)>(%o0)[%hi, %lo]
  %c44 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %p45 = vector.extract_strided_slice %d33 {offsets = [3], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p45, %C[%r43, %c44] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r46 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 8)>(%o0)[%hi, %lo]
  %c47 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %p48 = vector.extract_strided_slice %d33 {offsets = [4], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p48, %C[%r46, %c47] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r49 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 10)>(%o0)[%hi, %lo]
  %c50 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %p51 = vector.extract_strided_slice %d33 {offsets = [5], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p51, %C[%r49, %c50] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r52 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 12)>(%o0)[%hi, %lo]
  %c53 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %p54 = vector.extract_strided_slice %d33 {offsets = [6], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p54, %C[%r52, %c53] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r55 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 14)>(%o0)[%hi, %lo]
  %c56 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %p57 = vector.extract_strided_slice %d33 {offsets = [7], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p57, %C[%r55, %c56] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %d58 = vector.extract %d[0, 1] : vector<8xf32> from vector<2x2x8xf32>
  %r59 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 0)>(%o0)[%hi, %lo]
  %c60 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %p61 = vector.extract_strided_slice %d58 {offsets = [0], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p61, %C[%r59, %c60] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r62 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 2)>(%o0)[%hi, %lo]
  %c63 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %p64 = vector.extract_strided_slice %d58 {offsets = [1], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p64, %C[%r62, %c63] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r65 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 4)>(%o0)[%hi, %lo]
  %c66 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %p67 = vector.extract_strided_slice %d58 {offsets = [2], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p67, %C[%r65, %c66] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r68 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 6)>(%o0)[%hi, %lo]
  %c69 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %p70 = vector.extract_strided_slice %d58 {offsets = [3], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p70, %C[%r68, %c69] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r71 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 8)>(%o0)[%hi, %lo]
  %c72 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %p73 = vector.extract_strided_slice %d58 {offsets = [4], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p73, %C[%r71, %c72] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r74 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 10)>(%o0)[%hi, %lo]
  %c75 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %p76 = vector.extract_strided_slice %d58 {offsets = [5], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p76, %C[%r74, %c75] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r77 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 12)>(%o0)[%hi, %lo]
  %c78 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %p79 = vector.extract_strided_slice %d58 {offsets = [6], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p79, %C[%r77, %c78] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r80 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 14)>(%o0)[%hi, %lo]
  %c81 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %p82 = vector.extract_strided_slice %d58 {offsets = [7], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p82, %C[%r80, %c81] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %d83 = vector.extract %d[1, 0] : vector<8xf32> from vector<2x2x8xf32>
  %r84 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 0)>(%o16)[%hi, %lo]
  %c85 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %p86 = vector.extract_strided_slice %d83 {offsets = [0], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p86, %C[%r84, %c85] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r87 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 2)>(%o16)[%hi, %lo]
  %c88 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %p89 = vector.extract_strided_slice %d83 {offsets = [1], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p89, %C[%r87, %c88] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r90 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 4)>(%o16)[%hi, %lo]
  %c91 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %p92 = vector.extract_strided_slice %d83 {offsets = [2], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p92, %C[%r90, %c91] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r93 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 6)>(%o16)[%hi, %lo]
  %c94 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %p95 = vector.extract_strided_slice %d83 {offsets = [3], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p95, %C[%r93, %c94] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r96 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 8)>(%o16)[%hi, %lo]
  %c97 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %p98 = vector.extract_strided_slice %d83 {offsets = [4], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p98, %C[%r96, %c97] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r99 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 10)>(%o16)[%hi, %lo]
  %c100 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %p101 = vector.extract_strided_slice %d83 {offsets = [5], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p101, %C[%r99, %c100] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r102 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 12)>(%o16)[%hi, %lo]
  %c103 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %p104 = vector.extract_strided_slice %d83 {offsets = [6], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p104, %C[%r102, %c103] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r105 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 14)>(%o16)[%hi, %lo]
  %c106 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %p107 = vector.extract_strided_slice %d83 {offsets = [7], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p107, %C[%r105, %c106] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %d108 = vector.extract %d[1, 1] : vector<8xf32> from vector<2x2x8xf32>
  %r109 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 0)>(%o16)[%hi, %lo]
  %c110 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %p111 = vector.extract_strided_slice %d108 {offsets = [0], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p111, %C[%r109, %c110] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r112 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 2)>(%o16)[%hi, %lo]
  %c113 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %p114 = vector.extract_strided_slice %d108 {offsets = [1], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p114, %C[%r112, %c113] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r115 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 4)>(%o16)[%hi, %lo]
  %c116 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %p117 = vector.extract_strided_slice %d108 {offsets = [2], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p117, %C[%r115, %c116] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r118 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 6)>(%o16)[%hi, %lo]
  %c119 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %p120 = vector.extract_strided_slice %d108 {offsets = [3], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p120, %C[%r118, %c119] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r121 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 8)>(%o16)[%hi, %lo]
  %c122 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %p123 = vector.extract_strided_slice %d108 {offsets = [4], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p123, %C[%r121, %c122] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r124 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 10)>(%o16)[%hi, %lo]
  %c125 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %p126 = vector.extract_strided_slice %d108 {offsets = [5], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p126, %C[%r124, %c125] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r127 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 12)>(%o16)[%hi, %lo]
  %c128 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %p129 = vector.extract_strided_slice %d108 {offsets = [6], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p129, %C[%r127, %c128] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r130 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 14)>(%o16)[%hi, %lo]
  %c131 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %p132 = vector.extract_strided_slice %d108 {offsets = [7], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
  vector.transfer_write %p132, %C[%r130, %c131] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  gpu.return
}
// -----
// lanewise.args A = normal(32, 32), B = normal(32, 32), C = empty(32, 32)
// expect gfx1100: mma 1, executed mma 8
#none = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>]
gpu.func @loops(%A: memref<32x32xf16>, %B: memref<32x32xf16>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %m = arith.constant 16 : index
  %n = arith.constant 16 : index
  %k = arith.constant 16 : index
  %pad = arith.constant 0.0 : f16
  %l = gpu.lane_id
  %hi, %lo = affine.delinearize_index %l into (2, 16) : index, index
  %zero = arith.constant dense<0.0> : vector<8xf32>
  scf.for %i = %c0 to %c32 step %m {
    scf.for %j = %c0 to %c32 step %n {
      %sum = scf.for %h = %c0 to %c32 step %k iter_args(%acc = %zero) -> (vector<8xf32>) {
        %r1 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%i)[%hi, %lo]
        %c2 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + 0)>(%h)[%hi, %lo]
        %p3 = vector.transfer_read %A[%r1, %c2], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<16xf16>
        %r4 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%j)[%hi, %lo]
        %c5 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + 0)>(%h)[%hi, %lo]
        %p6 = vector.transfer_read %B[%r4, %c5], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<16xf16>
        %next = iree_codegen.inner_tiled ins(%p3, %p6) outs(%acc) <indexing_maps = #none, iterator_types = [], kind = #iree_gpu.mma_layout<WMMAR3_F32_16x16x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = false>> : vector<16xf16>, vector<16xf16> into vector<8xf32>
        scf.yield %next : vector<8xf32>
      }
      %r7 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 0)>(%i)[%hi, %lo]
      %c8 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%j)[%hi, %lo]
      %p9 = vector.extract_strided_slice %sum {offsets = [0], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
      vector.transfer_write %p9, %C[%r7, %c8] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
      %r10 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 2)>(%i)[%hi, %lo]
      %c11 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%j)[%hi, %lo]
      %p12 = vector.extract_strided_slice %sum {offsets = [1], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
      vector.transfer_write %p12, %C[%r10, %c11] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
      %r13 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 4)>(%i)[%hi, %lo]
      %c14 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%j)[%hi, %lo]
      %p15 = vector.extract_strided_slice %sum {offsets = [2], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
      vector.transfer_write %p15, %C[%r13, %c14] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
      %r16 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 6)>(%i)[%hi, %lo]
      %c17 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%j)[%hi, %lo]
      %p18 = vector.extract_strided_slice %sum {offsets = [3], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
      vector.transfer_write %p18, %C[%r16, %c17] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
      %r19 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 8)>(%i)[%hi, %lo]
      %c20 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%j)[%hi, %lo]
      %p21 = vector.extract_strided_slice %sum {offsets = [4], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
      vector.transfer_write %p21, %C[%r19, %c20] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
      %r22 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 10)>(%i)[%hi, %lo]
      %c23 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%j)[%hi, %lo]
      %p24 = vector.extract_strided_slice %sum {offsets = [5], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
      vector.transfer_write %p24, %C[%r22, %c23] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
      %r25 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 12)>(%i)[%hi, %lo]
      %c26 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%j)[%hi, %lo]
      %p27 = vector.extract_strided_slice %sum {offsets = [6], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
      vector.transfer_write %p27, %C[%r25, %c26] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
      %r28 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 + 14)>(%i)[%hi, %lo]
      %c29 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%j)[%hi, %lo]
      %p30 = vector.extract_strided_slice %sum {offsets = [7], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
      vector.transfer_write %p30, %C[%r28, %c29] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
    }
  }
  gpu.return
}
