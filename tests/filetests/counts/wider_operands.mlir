// Factors that the chip does not multiply are extended to a type that it does, and that has all of their values.
// test run
// fp8 without a unit for it: in f16, m16n8k16, 2 * 4 * 2 = 16 by two subgroups. sm_89 has m16n8k32 for it: 2 * 4.
// gfx942 has another fp8 only: 16x16x16 of f16, 8, or 32x32x8, 4, by one subgroup. gfx1100: 16x16x16, 8 by two.
// expect sm_80: mma 8, fma 0, spills 0
// expect sm_89: mma 4, fma 0, spills 0
// expect gfx942: mma >= 4, mma <= 8, fma 0, spills 0
// expect gfx1100: mma 4, fma 0, spills 0
// lanewise.args a = integers(-3, 3, 32, 32), b = integers(-3, 3, 32, 32), c = empty(32, 32); grid = 1
gpu.func @product(%a: memref<32x32xf8E4M3FN>, %b: memref<32x32xf8E4M3FN>, %c: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f8E4M3FN
  %q = arith.constant 0.0 : f8E4M3FN
  %z = arith.constant dense<0.0> : vector<32x32xf32>
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf8E4M3FN>, vector<32x32xf8E4M3FN>
  %r = vector.transfer_read %b[%c0, %c0], %q {in_bounds = [true, true]} : memref<32x32xf8E4M3FN>, vector<32x32xf8E4M3FN>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %l, %r, %z : vector<32x32xf8E4M3FN>, vector<32x32xf8E4M3FN> into vector<32x32xf32>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
// -----
// fp8 by f16: in f16, where the least fp8 are subnormal. gfx90a's unit would take these for zeros.
// expect sm_90: mma 8, fma 0, spills 0
// expect gfx942: mma >= 4, mma <= 8, fma 0, spills 0
// expect gfx90a: mma 0, spills 0
// lanewise.args a = integers(-3, 3, 32, 32), b = integers(-3, 3, 32, 32), c = empty(32, 32); grid = 1
gpu.func @product(%a: memref<32x32xf8E5M2>, %b: memref<32x32xf16>, %c: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f8E5M2
  %q = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<32x32xf32>
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf8E5M2>, vector<32x32xf8E5M2>
  %r = vector.transfer_read %b[%c0, %c0], %q {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %l, %r, %z : vector<32x32xf8E5M2>, vector<32x32xf16> into vector<32x32xf32>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
// -----
// Powers of two from 2^-127 on are no f16, and in bf16 the least is a subnormal number, which is exact.
// expect sm_80: mma 8, fma 0, spills 0
// lanewise.args a = integers(1, 2, 32, 32), b = integers(-3, 3, 32, 32), c = empty(32, 32); grid = 1
gpu.func @product(%a: memref<32x32xf8E8M0FNU>, %b: memref<32x32xf8E4M3FN>, %c: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f8E8M0FNU
  %q = arith.constant 0.0 : f8E4M3FN
  %z = arith.constant dense<0.0> : vector<32x32xf32>
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf8E8M0FNU>, vector<32x32xf8E8M0FNU>
  %r = vector.transfer_read %b[%c0, %c0], %q {in_bounds = [true, true]} : memref<32x32xf8E4M3FN>, vector<32x32xf8E4M3FN>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %l, %r, %z : vector<32x32xf8E8M0FNU>, vector<32x32xf8E4M3FN> into vector<32x32xf32>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
// -----
// Nibbles on a chip that multiplies bytes: 16x16x32 of i8, 4, or 32x32x16, 2. sm_80 has m16n8k32 for
// them, 2 * 4 by two subgroups.
// expect gfx942: mma >= 2, mma <= 4, spills 0
// expect sm_80: mma 4, spills 0
// lanewise.args a = integers(-3, 3, 32, 32), b = integers(-3, 3, 32, 32), c = empty(32, 32); grid = 1
gpu.func @product(%a: memref<32x32xi4>, %b: memref<32x32xi4>, %c: memref<32x32xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i4
  %q = arith.constant 0 : i4
  %z = arith.constant dense<0> : vector<32x32xi32>
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xi4>, vector<32x32xi4>
  %r = vector.transfer_read %b[%c0, %c0], %q {in_bounds = [true, true]} : memref<32x32xi4>, vector<32x32xi4>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %l, %r, %z : vector<32x32xi4>, vector<32x32xi4> into vector<32x32xi32>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xi32>, memref<32x32xi32>
  gpu.return
}
