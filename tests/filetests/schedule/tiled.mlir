// A product of whole matrices with tile sizes: the program of fifteen lines without a loop of its own. Each workgroup
// takes tiles of 64 x 64, steps of 32 along K; what is made of the result is made tile by tile.
// test roundtrip
// test run target=sm_80
// test run target=gfx942
// lanewise.args a = normal(128, 96), b = normal(96, 192), bias = normal(192), c = empty(192, 128); grid = (3, 2, 1)
// 64 x 64 x 32 are 4 * 8 * 2 mma.sync m16n8k16 a step, 16 for each of four subgroups.
// expect sm_80: mma 16
#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
gpu.func @gemm(%A: memref<128x96xf16>, %B: memref<96x192xf16>, %bias: memref<192xf32>, %C: memref<192x128xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %q = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<128x192xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<128x96xf16>, vector<128x96xf16>
  %b = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<96x192xf16>, vector<96x192xf16>
  %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"],
    kind = #vector.kind<add>,
    lowering_config = #iree_gpu.lowering_config<{workgroup = [64, 64, 0], reduction = [0, 0, 32]}>}
    %a, %b, %zero : vector<128x96xf16>, vector<96x192xf16> into vector<128x192xf32>
  %row = vector.transfer_read %bias[%c0], %q {in_bounds = [true]} : memref<192xf32>, vector<192xf32>
  %rows = vector.broadcast %row : vector<192xf32> to vector<128x192xf32>
  %e = arith.addf %d, %rows : vector<128x192xf32>
  %f = arith.truncf %e : vector<128x192xf32> to vector<128x192xf16>
  %t = vector.transpose %f, [1, 0] : vector<128x192xf16> to vector<192x128xf16>
  vector.transfer_write %t, %C[%c0, %c0] {in_bounds = [true, true]} : vector<192x128xf16>, memref<192x128xf16>
  gpu.return
}
// -----
// Only summed tiles, from an accumulator, in a loop of the program's own.
// lanewise.args a = normal(2, 16, 64), b = normal(64, 16), c = normal(2, 16, 16); grid = 1
#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
gpu.func @steps(%A: memref<2x16x64xf16>, %B: memref<64x16xf16>, %C: memref<2x16x16xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %p = arith.constant 0.0 : f16
  %q = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c2 step %c1 {
    %a = vector.transfer_read %A[%i, %c0, %c0], %p {in_bounds = [true, true]} : memref<2x16x64xf16>, vector<16x64xf16>
    %b = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x16xf16>, vector<64x16xf16>
    %aw = arith.extf %a : vector<16x64xf16> to vector<16x64xf32>
    %bw = arith.extf %b : vector<64x16xf16> to vector<64x16xf32>
    %c = vector.transfer_read %C[%i, %c0, %c0], %q {in_bounds = [true, true]} : memref<2x16x16xf32>, vector<16x16xf32>
    %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>, lowering_config = #iree_gpu.lowering_config<{reduction = [0, 0, 16]}>}
      %aw, %bw, %c : vector<16x64xf32>, vector<64x16xf32> into vector<16x16xf32>
    vector.transfer_write %d, %C[%i, %c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<2x16x16xf32>
  }
  gpu.return
}
// -----
// What is used twice behind the product is made once: 32 x 32 x 16 are 2 * 4 mma.sync, two for each subgroup.
// lanewise.args a = normal(64, 16), b = normal(16, 32), c = empty(64, 32); grid = 2
// expect sm_80: mma 2
#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
gpu.func @squared(%A: memref<64x16xf16>, %B: memref<16x32xf16>, %C: memref<64x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<64x32xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x16xf16>, vector<64x16xf16>
  %b = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x32xf16>, vector<16x32xf16>
  %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"],
    kind = #vector.kind<add>, lowering_config = #iree_gpu.lowering_config<{workgroup = [32, 0, 0]}>}
    %a, %b, %zero : vector<64x16xf16>, vector<16x32xf16> into vector<64x32xf32>
  %e = arith.mulf %d, %d : vector<64x32xf32>
  vector.transfer_write %e, %C[%c0, %c0] {in_bounds = [true, true]} : vector<64x32xf32>, memref<64x32xf32>
  gpu.return
}
// -----
// Two products, each with tiles for the workgroups.
// lanewise.args a = normal(32, 32), b = normal(32, 32), c = empty(32, 32), d = empty(32, 32); grid = 2
// 16 x 32 x 32 are 1 * 4 * 2 mma.sync m16n8k16, 4 for each of two subgroups, twice.
// expect sm_80: mma 8
#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
gpu.func @two(%A: memref<32x32xf16>, %B: memref<32x32xf16>, %C: memref<32x32xf32>, %D: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<32x32xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %b = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %c = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"],
    kind = #vector.kind<add>, lowering_config = #iree_gpu.lowering_config<{workgroup = [16, 32, 0]}>}
    %a, %b, %zero : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
  vector.transfer_write %c, %C[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"],
    kind = #vector.kind<add>, lowering_config = #iree_gpu.lowering_config<{workgroup = [32, 16, 0]}>}
    %b, %a, %zero : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
  vector.transfer_write %d, %D[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
// -----
// Two summed iterators, a loop for each.
// lanewise.args a = integers(-3, 3, 16, 4, 64), b = integers(-3, 3, 4, 64, 16), c = empty(16, 16); grid = 1
// expect gfx942: layout scf.for 2
#maps = [affine_map<(m, n, j, k) -> (m, j, k)>, affine_map<(m, n, j, k) -> (j, k, n)>, affine_map<(m, n, j, k) -> (m, n)>]
gpu.func @f(%A: memref<16x4x64xf16>, %B: memref<4x64x16xf16>, %C: memref<16x16xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<16x16xf32>
  %a = vector.transfer_read %A[%c0, %c0, %c0], %p {in_bounds = [true, true, true]} : memref<16x4x64xf16>, vector<16x4x64xf16>
  %b = vector.transfer_read %B[%c0, %c0, %c0], %p {in_bounds = [true, true, true]} : memref<4x64x16xf16>, vector<4x64x16xf16>
  %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction", "reduction"], kind = #vector.kind<add>,
    lowering_config = #iree_gpu.lowering_config<{reduction = [0, 0, 2, 32]}>} %a, %b, %z : vector<16x4x64xf16>, vector<4x64x16xf16> into vector<16x16xf32>
  vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  gpu.return
}
