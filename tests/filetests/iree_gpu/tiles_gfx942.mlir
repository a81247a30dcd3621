// C = A B^T of 32x32 by MFMA_F32_16x16x16_F16: whole tiles of the subgroup, what lanes hold unrolled, and as loops.
// 2 x 2 x 2 steps of 16x16x16: as many instructions, one in the loops' body.
// test roundtrip
// test run target=gfx942 data=written,exact
// lanewise.args A = normal(32, 32), B = normal(32, 32), C = empty(32, 32)
// expect gfx942: mma 8
#mmt = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
gpu.func @whole(%A: memref<32x32xf16>, %B: memref<32x32xf16>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<2x2x16x16xf32>
  %a0 = vector.transfer_read %A[%c0, %c0], %pad {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %b0 = vector.transfer_read %B[%c0, %c0], %pad {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %a1 = vector.shape_cast %a0 : vector<32x32xf16> to vector<2x16x2x16xf16>
  %b1 = vector.shape_cast %b0 : vector<32x32xf16> to vector<2x16x2x16xf16>
  %a = vector.transpose %a1, [0, 2, 1, 3] : vector<2x16x2x16xf16> to vector<2x2x16x16xf16>
  %b = vector.transpose %b1, [2, 0, 1, 3] : vector<2x16x2x16xf16> to vector<2x2x16x16xf16>
  %d = iree_gpu.multi_mma %a, %b, %zero {indexing_maps = #mmt, iterator_types = ["parallel", "parallel", "reduction"], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, rhs_permutation = [1, 0]} : vector<2x2x16x16xf16>, vector<2x2x16x16xf16> into vector<2x2x16x16xf32>
  %e = vector.transpose %d, [0, 2, 1, 3] : vector<2x2x16x16xf32> to vector<2x16x2x16xf32>
  %g = vector.shape_cast %e : vector<2x16x2x16xf32> to vector<32x32xf32>
  vector.transfer_write %g, %C[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
// -----
// lanewise.args A = normal(32, 32), B = normal(32, 32), C = empty(32, 32)
// expect gfx942: mma 8
#mmt = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
gpu.func @unrolled(%A: memref<32x32xf16>, %B: memref<32x32xf16>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %m = arith.constant 16 : index
  %n = arith.constant 16 : index
  %k = arith.constant 16 : index
  %pad = arith.constant 0.0 : f16
  %l = gpu.lane_id
  %hi, %lo = affine.delinearize_index %l into (4, 16) : index, index
  %o0 = arith.constant 0 : index
  %o4 = arith.constant 4 : index
  %o8 = arith.constant 8 : index
  %o12 = arith.constant 12 : index
  %o16 = arith.constant 16 : index
  %o20 = arith.constant 20 : index
  %o24 = arith.constant 24 : index
  %o28 = arith.constant 28 : index
  %a0 = arith.constant dense<0.0> : vector<2x2x4xf16>
  %r1 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %c2 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4)>(%o0)[%hi, %lo]
  %p3 = vector.transfer_read %A[%r1, %c2], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<4xf16>
  %aw4 = vector.insert %p3, %a0 [0, 0] : vector<4xf16> into vector<2x2x4xf16>
  %r5 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %c6 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4)>(%o16)[%hi, %lo]
  %p7 = vector.transfer_read %A[%r5, %c6], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<4xf16>
  %aw8 = vector.insert %p7, %aw4 [0, 1] : vector<4xf16> into vector<2x2x4xf16>
  %r9 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %c10 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4)>(%o0)[%hi, %lo]
  %p11 = vector.transfer_read %A[%r9, %c10], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<4xf16>
  %aw12 = vector.insert %p11, %aw8 [1, 0] : vector<4xf16> into vector<2x2x4xf16>
  %r13 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %c14 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4)>(%o16)[%hi, %lo]
  %p15 = vector.transfer_read %A[%r13, %c14], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<4xf16>
  %aw16 = vector.insert %p15, %aw12 [1, 1] : vector<4xf16> into vector<2x2x4xf16>
  %b0 = arith.constant dense<0.0> : vector<2x2x4xf16>
  %r17 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %c18 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4)>(%o0)[%hi, %lo]
  %p19 = vector.transfer_read %B[%r17, %c18], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<4xf16>
  %bw20 = vector.insert %p19, %b0 [0, 0] : vector<4xf16> into vector<2x2x4xf16>
  %r21 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %c22 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4)>(%o0)[%hi, %lo]
  %p23 = vector.transfer_read %B[%r21, %c22], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<4xf16>
  %bw24 = vector.insert %p23, %bw20 [0, 1] : vector<4xf16> into vector<2x2x4xf16>
  %r25 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %c26 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4)>(%o16)[%hi, %lo]
  %p27 = vector.transfer_read %B[%r25, %c26], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<4xf16>
  %bw28 = vector.insert %p27, %bw24 [1, 0] : vector<4xf16> into vector<2x2x4xf16>
  %r29 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %c30 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4)>(%o16)[%hi, %lo]
  %p31 = vector.transfer_read %B[%r29, %c30], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<4xf16>
  %bw32 = vector.insert %p31, %bw28 [1, 1] : vector<4xf16> into vector<2x2x4xf16>
  %zero = arith.constant dense<0.0> : vector<2x2x4xf32>
  %d = iree_gpu.multi_mma %aw16, %bw32, %zero {indexing_maps = #mmt, iterator_types = ["parallel", "parallel", "reduction"], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>} : vector<2x2x4xf16>, vector<2x2x4xf16> into vector<2x2x4xf32>
  %d33 = vector.extract %d[0, 0] : vector<4xf32> from vector<2x2x4xf32>
  %r34 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4)>(%o0)[%hi, %lo]
  %c35 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %p36 = vector.extract_strided_slice %d33 {offsets = [0], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
  vector.transfer_write %p36, %C[%r34, %c35] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r37 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4 + 1)>(%o0)[%hi, %lo]
  %c38 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %p39 = vector.extract_strided_slice %d33 {offsets = [1], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
  vector.transfer_write %p39, %C[%r37, %c38] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r40 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4 + 2)>(%o0)[%hi, %lo]
  %c41 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %p42 = vector.extract_strided_slice %d33 {offsets = [2], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
  vector.transfer_write %p42, %C[%r40, %c41] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r43 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4 + 3)>(%o0)[%hi, %lo]
  %c44 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %p45 = vector.extract_strided_slice %d33 {offsets = [3], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
  vector.transfer_write %p45, %C[%r43, %c44] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %d46 = vector.extract %d[0, 1] : vector<4xf32> from vector<2x2x4xf32>
  %r47 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4)>(%o0)[%hi, %lo]
  %c48 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %p49 = vector.extract_strided_slice %d46 {offsets = [0], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
  vector.transfer_write %p49, %C[%r47, %c48] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r50 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4 + 1)>(%o0)[%hi, %lo]
  %c51 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %p52 = vector.extract_strided_slice %d46 {offsets = [1], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
  vector.transfer_write %p52, %C[%r50, %c51] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r53 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4 + 2)>(%o0)[%hi, %lo]
  %c54 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %p55 = vector.extract_strided_slice %d46 {offsets = [2], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
  vector.transfer_write %p55, %C[%r53, %c54] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r56 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4 + 3)>(%o0)[%hi, %lo]
  %c57 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %p58 = vector.extract_strided_slice %d46 {offsets = [3], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
  vector.transfer_write %p58, %C[%r56, %c57] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %d59 = vector.extract %d[1, 0] : vector<4xf32> from vector<2x2x4xf32>
  %r60 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4)>(%o16)[%hi, %lo]
  %c61 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %p62 = vector.extract_strided_slice %d59 {offsets = [0], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
  vector.transfer_write %p62, %C[%r60, %c61] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r63 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4 + 1)>(%o16)[%hi, %lo]
  %c64 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %p65 = vector.extract_strided_slice %d59 {offsets = [1], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
  vector.transfer_write %p65, %C[%r63, %c64] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r66 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4 + 2)>(%o16)[%hi, %lo]
  %c67 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %p68 = vector.extract_strided_slice %d59 {offsets = [2], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
  vector.transfer_write %p68, %C[%r66, %c67] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r69 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4 + 3)>(%o16)[%hi, %lo]
  %c70 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o0)[%hi, %lo]
  %p71 = vector.extract_strided_slice %d59 {offsets = [3], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
  vector.transfer_write %p71, %C[%r69, %c70] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %d72 = vector.extract %d[1, 1] : vector<4xf32> from vector<2x2x4xf32>
  %r73 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4)>(%o16)[%hi, %lo]
  %c74 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %p75 = vector.extract_strided_slice %d72 {offsets = [0], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
  vector.transfer_write %p75, %C[%r73, %c74] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r76 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4 + 1)>(%o16)[%hi, %lo]
  %c77 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %p78 = vector.extract_strided_slice %d72 {offsets = [1], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
  vector.transfer_write %p78, %C[%r76, %c77] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r79 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4 + 2)>(%o16)[%hi, %lo]
  %c80 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %p81 = vector.extract_strided_slice %d72 {offsets = [2], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
  vector.transfer_write %p81, %C[%r79, %c80] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  %r82 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4 + 3)>(%o16)[%hi, %lo]
  %c83 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%o16)[%hi, %lo]
  %p84 = vector.extract_strided_slice %d72 {offsets = [3], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
  vector.transfer_write %p84, %C[%r82, %c83] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
  gpu.return
}
// -----
// lanewise.args A = normal(32, 32), B = normal(32, 32), C = empty(32, 32)
// expect gfx942: mma 1, executed mma 8
#none = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>]
gpu.func @loops(%A: memref<32x32xf16>, %B: memref<32x32xf16>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %m = arith.constant 16 : index
  %n = arith.constant 16 : index
  %k = arith.constant 16 : index
  %pad = arith.constant 0.0 : f16
  %l = gpu.lane_id
  %hi, %lo = affine.delinearize_index %l into (4, 16) : index, index
  %zero = arith.constant dense<0.0> : vector<4xf32>
  scf.for %i = %c0 to %c32 step %m {
    scf.for %j = %c0 to %c32 step %n {
      %sum = scf.for %h = %c0 to %c32 step %k iter_args(%acc = %zero) -> (vector<4xf32>) {
        %r1 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%i)[%hi, %lo]
        %c2 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4)>(%h)[%hi, %lo]
        %p3 = vector.transfer_read %A[%r1, %c2], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<4xf16>
        %r4 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%j)[%hi, %lo]
        %c5 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4)>(%h)[%hi, %lo]
        %p6 = vector.transfer_read %B[%r4, %c5], %pad {in_bounds = [true]} : memref<32x32xf16>, vector<4xf16>
        %next = iree_codegen.inner_tiled ins(%p3, %p6) outs(%acc) <indexing_maps = #none, iterator_types = [], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = false>> : vector<4xf16>, vector<4xf16> into vector<4xf32>
        scf.yield %next : vector<4xf32>
      }
      %r7 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4)>(%i)[%hi, %lo]
      %c8 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%j)[%hi, %lo]
      %p9 = vector.extract_strided_slice %sum {offsets = [0], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
      vector.transfer_write %p9, %C[%r7, %c8] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
      %r10 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4 + 1)>(%i)[%hi, %lo]
      %c11 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%j)[%hi, %lo]
      %p12 = vector.extract_strided_slice %sum {offsets = [1], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
      vector.transfer_write %p12, %C[%r10, %c11] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
      %r13 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4 + 2)>(%i)[%hi, %lo]
      %c14 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%j)[%hi, %lo]
      %p15 = vector.extract_strided_slice %sum {offsets = [2], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
      vector.transfer_write %p15, %C[%r13, %c14] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
      %r16 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s0 * 4 + 3)>(%i)[%hi, %lo]
      %c17 = affine.apply affine_map<(d0)[s0, s1] -> (d0 + s1)>(%j)[%hi, %lo]
      %p18 = vector.extract_strided_slice %sum {offsets = [3], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
      vector.transfer_write %p18, %C[%r16, %c17] {in_bounds = [true]} : vector<1xf32>, memref<32x32xf32>
    }
  }
  gpu.return
}
