// Products of matrices take the matrix unit: so many instructions as tiles of the instruction's shape, and no multiply-add.
// test run
// The rhs is written with its columns first: the same 2 * 4 * 2 = 16 instructions of m16n8k16.
// expect sm_90: mma 16, fma 0, spills 0
// lanewise.args a = integers(-3, 3, 32, 32), b = integers(-3, 3, 32, 32), c = empty(32, 32); grid = 1
gpu.func @product(%a: memref<32x32xf16>, %b: memref<32x32xf16>, %c: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<32x32xf32>
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %r = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %l, %r, %z : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
// -----
// The lhs is written with its rows last: the same 2 * 4 * 2 = 16 instructions of m16n8k16.
// expect sm_90: mma 16, fma 0, spills 0
// lanewise.args a = integers(-3, 3, 32, 32), b = integers(-3, 3, 32, 32), c = empty(32, 32); grid = 1
gpu.func @product(%a: memref<32x32xf16>, %b: memref<32x32xf16>, %c: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<32x32xf32>
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %r = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %l, %r, %z : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
// -----
// Both are transposed: the same 2 * 4 * 2 = 16 instructions of m16n8k16.
// expect sm_90: mma 16, fma 0, spills 0
// lanewise.args a = integers(-3, 3, 32, 32), b = integers(-3, 3, 32, 32), c = empty(32, 32); grid = 1
gpu.func @product(%a: memref<32x32xf16>, %b: memref<32x32xf16>, %c: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<32x32xf32>
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %r = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>,
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %l, %r, %z : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
// -----
// bf16 has the same shape: 2 * 4 * 2 = 16 on sm_90, by two subgroups. 16x16x16: 2 * 2 * 2 = 8 (32x32x8: 4) on gfx942, by one;
// 8 on gfx1100, by two.
// expect sm_90: executed mma 16, mma 8, fma 0, spills 0
// expect gfx942: mma >= 4, mma <= 8, fma 0, spills 0
// expect gfx1100: executed mma 8, mma 4, fma 0, spills 0
// lanewise.args a = integers(-3, 3, 32, 32), b = integers(-3, 3, 32, 32), c = empty(32, 32); grid = 1
gpu.func @product(%a: memref<32x32xbf16>, %b: memref<32x32xbf16>, %c: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : bf16
  %z = arith.constant dense<0.0> : vector<32x32xf32>
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xbf16>, vector<32x32xbf16>
  %r = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xbf16>, vector<32x32xbf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %l, %r, %z : vector<32x32xbf16>, vector<32x32xbf16> into vector<32x32xf32>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
// -----
// i8, m16n8k32: 2 * 4 * 1 = 8 instructions of two subgroups. gfx942, 16x16x32: 2 * 2 * 1 = 4, 32x32x16: 2, of one. gfx1100,
// 16x16x16: 8 of two.
// expect sm_90: executed mma 8, mma 4, spills 0
// expect gfx942: mma >= 2, mma <= 4, spills 0
// expect gfx1100: executed mma 8, mma 4, spills 0
// lanewise.args a = integers(-3, 3, 32, 32), b = integers(-3, 3, 32, 32), c = empty(32, 32); grid = 1
gpu.func @product(%a: memref<32x32xi8>, %b: memref<32x32xi8>, %c: memref<32x32xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i8
  %z = arith.constant dense<0> : vector<32x32xi32>
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xi8>, vector<32x32xi8>
  %r = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xi8>, vector<32x32xi8>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %l, %r, %z : vector<32x32xi8>, vector<32x32xi8> into vector<32x32xi32>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xi32>, memref<32x32xi32>
  gpu.return
}
// -----
// f64: m8n8k4, 4 * 4 * 8 = 128 instructions of sm_80 (sm_90 has m16n8k16: 16, m16n8k8: 32, m16n8k4: 64), by two subgroups.
// gfx942, 16x16x4: 2 * 2 * 8 = 32, by one.
// expect sm_80: executed mma 128, mma 64, fma 0, spills 0
// expect sm_90: executed mma >= 16, executed mma <= 128, fma 0, spills 0
// expect gfx942: mma 32, fma 0, spills 0
// lanewise.args a = integers(-3, 3, 32, 32), b = integers(-3, 3, 32, 32), c = empty(32, 32); grid = 1
gpu.func @product(%a: memref<32x32xf64>, %b: memref<32x32xf64>, %c: memref<32x32xf64>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f64
  %z = arith.constant dense<0.0> : vector<32x32xf64>
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf64>, vector<32x32xf64>
  %r = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf64>, vector<32x32xf64>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %l, %r, %z : vector<32x32xf64>, vector<32x32xf64> into vector<32x32xf64>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf64>, memref<32x32xf64>
  gpu.return
}
// -----
// f32 operands are no tf32: their product stays exact on NVIDIA, 32 * 32 * 32 / 64 = 512 multiplications of a thread, 16 of
// which begin sums. gfx942 has the f32 instructions: 16x16x4, 2 * 2 * 8 = 32, or 32x32x2, 16.
// expect sm_90: mma 0, fma >= 496, fma <= 512
// expect gfx942: mma >= 16, mma <= 32, fma 0, spills 0
// lanewise.args a = integers(-3, 3, 32, 32), b = integers(-3, 3, 32, 32), c = empty(32, 32); grid = 1
gpu.func @product(%a: memref<32x32xf32>, %b: memref<32x32xf32>, %c: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<32x32xf32>
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf32>, vector<32x32xf32>
  %r = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf32>, vector<32x32xf32>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %l, %r, %z : vector<32x32xf32>, vector<32x32xf32> into vector<32x32xf32>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
// -----
// f16 sums on NVIDIA: m16n8k16 with a sum of 16 bits, 2 * 4 * 2 = 16.
// expect sm_90: mma 16, fma 0, spills 0
// lanewise.args a = integers(-3, 3, 32, 32), b = integers(-3, 3, 32, 32), c = empty(32, 32); grid = 1
gpu.func @product(%a: memref<32x32xf16>, %b: memref<32x32xf16>, %c: memref<32x32xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<32x32xf16>
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %r = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %l, %r, %z : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf16>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf16>, memref<32x32xf16>
  gpu.return
}
// -----
// 4 subgroups share 64x64x64: 4 * 8 * 4 = 128 instructions of m16n8k16, 32 of each. gfx942, 2 subgroups: 64 of 16x16x16 or 32 of 32x32x8
// in all. gfx1100, 4 subgroups: 4 * 4 * 4 = 64 in all, 16 of each.
// expect sm_90: executed mma 128, mma 32, fma 0, spills 0
// expect gfx942: executed mma >= 32, executed mma <= 64, mma <= 32, fma 0, spills 0
// expect gfx1100: executed mma 64, mma 16, fma 0, spills 0
// lanewise.args a = integers(-3, 3, 64, 64), b = integers(-3, 3, 64, 64), c = empty(64, 64); grid = 1
gpu.func @product(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf16>, vector<64x64xf16>
  %r = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf16>, vector<64x64xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %l, %r, %z : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// The smallest product is one instruction; sm_75 has m16n8k8 only: two.
// expect sm_90: mma 1, fma 0
// expect sm_75: mma 2, fma 0
// lanewise.args a = integers(-3, 3, 16, 16), b = integers(-3, 3, 16, 8), c = empty(16, 8); grid = 1
gpu.func @product(%a: memref<16x16xf16>, %b: memref<16x8xf16>, %c: memref<16x8xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<16x8xf32>
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %r = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x8xf16>, vector<16x8xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %l, %r, %z : vector<16x16xf16>, vector<16x8xf16> into vector<16x8xf32>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  gpu.return
}
// -----
// Long sums: 16x8x256 is 16 instructions of one accumulator.
// expect sm_90: mma 16, fma 0, spills 0
// lanewise.args a = integers(-3, 3, 16, 256), b = integers(-3, 3, 256, 8), c = empty(16, 8); grid = 1
gpu.func @product(%a: memref<16x256xf16>, %b: memref<256x8xf16>, %c: memref<16x8xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<16x8xf32>
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x256xf16>, vector<16x256xf16>
  %r = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<256x8xf16>, vector<256x8xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %l, %r, %z : vector<16x256xf16>, vector<256x8xf16> into vector<16x8xf32>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  gpu.return
}
// -----
// A sum over k in a loop: 2 * 4 * 1 = 8 instructions an iteration, and the accumulator never changes its layout there. 64 / 16 = 4
// iterations execute 32.
// expect sm_90: mma 8, executed mma 32, fma 0, spills 0
// lanewise.args K = 64: a = integers(-3, 3, 32, K), b = integers(-3, 3, K, 32), c = empty(32, 32), K; grid = 1
gpu.func @sum_of_products(%a: memref<32x?xf16>, %b: memref<?x32xf16>, %c: memref<32x32xf32>, %k: index) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<32x32xf32>
  %s = scf.for %i = %c0 to %k step %c16 iter_args(%acc = %z) -> (vector<32x32xf32>) {
    %l = vector.transfer_read %a[%c0, %i], %p {in_bounds = [true, true]} : memref<32x?xf16>, vector<32x16xf16>
    %r = vector.transfer_read %b[%i, %c0], %p {in_bounds = [true, true]} : memref<?x32xf16>, vector<16x32xf16>
    %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
      affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %l, %r, %acc : vector<32x16xf16>, vector<16x32xf16> into vector<32x32xf32>
    scf.yield %d : vector<32x32xf32>
  }
  vector.transfer_write %s, %c[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
