// Contractions of the vector document's shapes, and batches, transposed and chained ones, are right and on the matrix unit of every
// chip: at least an instruction for each product, and no multiply-add.
// test run target=sm_80
// test run target=sm_90
// test run target=sm_90a
// test run target=gfx90a
// test run target=gfx942
// test run target=gfx950
// test run target=gfx1100
// test run target=gfx1201
// The matrix product of the document.
// expect sm_80: mma >= 1, fma 0
// expect sm_90: mma >= 1, fma 0
// expect sm_90a: mma >= 1, fma 0
// expect gfx90a: mma >= 1, fma 0
// expect gfx942: mma >= 1, fma 0
// expect gfx950: mma >= 1, fma 0
// expect gfx1100: mma >= 1, fma 0
// expect gfx1201: mma >= 1, fma 0
// lanewise.args a = integers(-2, 2, 64, 32), b = integers(-2, 2, 32, 32), c = empty(64, 32); grid = 1
gpu.func @matmul(%A: memref<64x32xf16>, %B: memref<32x32xf16>, %C: memref<64x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x32xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x32xf16>, vector<64x32xf16>
  %b = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %d = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %a, %b, %z : vector<64x32xf16>, vector<32x32xf16> into vector<64x32xf32>
  vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<64x32xf32>, memref<64x32xf32>
  gpu.return
}
// -----
// Four dimensions to three, with a batch and two sums.
// expect sm_80: mma >= 1, fma 0
// expect sm_90: mma >= 1, fma 0
// expect sm_90a: mma >= 1, fma 0
// expect gfx90a: mma >= 1, fma 0
// expect gfx942: mma >= 1, fma 0
// expect gfx950: mma >= 1, fma 0
// expect gfx1100: mma >= 1, fma 0
// expect gfx1201: mma >= 1, fma 0
// lanewise.args a = integers(-2, 2, 2, 2, 16, 32), b = integers(-2, 2, 2, 16, 2, 32), c = empty(2, 32, 32); grid = 1
gpu.func @four_to_three(%A: memref<2x2x16x32xf16>, %B: memref<2x16x2x32xf16>, %C: memref<2x32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<2x32x32xf32>
  %a = vector.transfer_read %A[%c0, %c0, %c0, %c0], %p {in_bounds = [true, true, true, true]} : memref<2x2x16x32xf16>, vector<2x2x16x32xf16>
  %b = vector.transfer_read %B[%c0, %c0, %c0, %c0], %p {in_bounds = [true, true, true, true]} : memref<2x16x2x32xf16>, vector<2x16x2x32xf16>
  %d = vector.contract {indexing_maps = [affine_map<(b0, f0, f1, c0, c1) -> (c0, b0, c1, f0)>, affine_map<(b0, f0, f1, c0, c1) -> (b0, c1, c0, f1)>, affine_map<(b0, f0, f1, c0, c1) -> (b0, f0, f1)>],
    iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"], kind = #vector.kind<add>}
    %a, %b, %z : vector<2x2x16x32xf16>, vector<2x16x2x32xf16> into vector<2x32x32xf32>
  vector.transfer_write %d, %C[%c0, %c0, %c0] {in_bounds = [true, true, true]} : vector<2x32x32xf32>, memref<2x32x32xf32>
  gpu.return
}
// -----
// The same with masks.
// expect sm_80: mma >= 1, fma 0
// expect sm_90: mma >= 1, fma 0
// expect sm_90a: mma >= 1, fma 0
// expect gfx90a: mma >= 1, fma 0
// expect gfx942: mma >= 1, fma 0
// expect gfx950: mma >= 1, fma 0
// expect gfx1100: mma >= 1, fma 0
// expect gfx1201: mma >= 1, fma 0
// lanewise.args a = integers(-2, 2, 2, 2, 16, 32), b = integers(-2, 2, 2, 16, 2, 32), c = empty(2, 32, 32); grid = 1
gpu.func @masked(%A: memref<2x2x16x32xf16>, %B: memref<2x16x2x32xf16>, %C: memref<2x32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<2x32x32xf32>
  %a = vector.transfer_read %A[%c0, %c0, %c0, %c0], %p {in_bounds = [true, true, true, true]} : memref<2x2x16x32xf16>, vector<2x2x16x32xf16>
  %b = vector.transfer_read %B[%c0, %c0, %c0, %c0], %p {in_bounds = [true, true, true, true]} : memref<2x16x2x32xf16>, vector<2x16x2x32xf16>
  %l = vector.constant_mask [2, 2, 14, 32] : vector<2x2x16x32xi1>
  %r = vector.constant_mask [2, 16, 2, 29] : vector<2x16x2x32xi1>
  %d = vector.contract {indexing_maps = [affine_map<(b0, f0, f1, c0, c1) -> (c0, b0, c1, f0)>, affine_map<(b0, f0, f1, c0, c1) -> (b0, c1, c0, f1)>, affine_map<(b0, f0, f1, c0, c1) -> (b0, f0, f1)>],
    iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"], kind = #vector.kind<add>}
    %a, %b, %z, %l, %r : vector<2x2x16x32xf16>, vector<2x16x2x32xf16> into vector<2x32x32xf32>
  vector.transfer_write %d, %C[%c0, %c0, %c0] {in_bounds = [true, true, true]} : vector<2x32x32xf32>, memref<2x32x32xf32>
  gpu.return
}
// -----
// A batch.
// expect sm_80: mma >= 1, fma 0
// expect sm_90: mma >= 1, fma 0
// expect sm_90a: mma >= 1, fma 0
// expect gfx90a: mma >= 1, fma 0
// expect gfx942: mma >= 1, fma 0
// expect gfx950: mma >= 1, fma 0
// expect gfx1100: mma >= 1, fma 0
// expect gfx1201: mma >= 1, fma 0
// lanewise.args a = integers(-2, 2, 2, 32, 32), b = integers(-2, 2, 2, 32, 32), c = empty(2, 32, 32); grid = 1
gpu.func @batch(%A: memref<2x32x32xf16>, %B: memref<2x32x32xf16>, %C: memref<2x32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<2x32x32xf32>
  %a = vector.transfer_read %A[%c0, %c0, %c0], %p {in_bounds = [true, true, true]} : memref<2x32x32xf16>, vector<2x32x32xf16>
  %b = vector.transfer_read %B[%c0, %c0, %c0], %p {in_bounds = [true, true, true]} : memref<2x32x32xf16>, vector<2x32x32xf16>
  %d = vector.contract {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
    iterator_types = ["parallel", "parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %a, %b, %z : vector<2x32x32xf16>, vector<2x32x32xf16> into vector<2x32x32xf32>
  vector.transfer_write %d, %C[%c0, %c0, %c0] {in_bounds = [true, true, true]} : vector<2x32x32xf32>, memref<2x32x32xf32>
  gpu.return
}
// -----
// Both operands transposed.
// expect sm_80: mma >= 1, fma 0
// expect sm_90: mma >= 1, fma 0
// expect sm_90a: mma >= 1, fma 0
// expect gfx90a: mma >= 1, fma 0
// expect gfx942: mma >= 1, fma 0
// expect gfx950: mma >= 1, fma 0
// expect gfx1100: mma >= 1, fma 0
// expect gfx1201: mma >= 1, fma 0
// lanewise.args a = integers(-2, 2, 32, 32), b = integers(-2, 2, 32, 32), c = empty(32, 32); grid = 1
gpu.func @transposed(%A: memref<32x32xf16>, %B: memref<32x32xf16>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<32x32xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %b = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %a, %b, %z : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
  vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
// -----
// A chain: the sums of the first are the lhs of the second.
// expect sm_80: mma >= 2, fma 0
// expect sm_90: mma >= 2, fma 0
// expect sm_90a: mma >= 2, fma 0
// expect gfx90a: mma >= 2, fma 0
// expect gfx942: mma >= 2, fma 0
// expect gfx950: mma >= 2, fma 0
// expect gfx1100: mma >= 2, fma 0
// expect gfx1201: mma >= 2, fma 0
// lanewise.args a = integers(-1, 1, 32, 32), b = integers(-1, 1, 32, 32), c = empty(32, 32); grid = 1
gpu.func @chained(%A: memref<32x32xf16>, %B: memref<32x32xf16>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<32x32xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %b = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %d = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %a, %b, %z : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
  %e = arith.truncf %d : vector<32x32xf32> to vector<32x32xf16>
  %g = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %e, %b, %z : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
  vector.transfer_write %g, %C[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
