// f32 multiplied as tf32 where the chip does that, on data that has more digits: what these lose is allowed, and no more.
// test run target=sm_80
// test run target=sm_90a
// test run target=gfx942
// test run target=gfx950
// test run target=gfx1100
// test run target=sm_75
// 32 x 32 x 32 multiply-adds: four subgroups of sm_80 share them, 1024 an instruction. On AMD's chips two pairs of subgroups have 16
// columns each, two blocks of rows, and K in steps of 8 by tf32 on gfx942, of 4 by f32 on gfx950, which has no tf32.
// expect sm_80: mma 8
// expect gfx942: mma 8, fma 0
// expect gfx950: mma 16, fma 0
// expect gfx1100: mma 0
// expect sm_75: mma 0
// lanewise.args a = normal(32, 32), b = normal(32, 32), c = empty(32, 32); grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @permitted(%a: memref<32x32xf32>, %b: memref<32x32xf32>, %c: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<32x32xf32>
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf32>, vector<32x32xf32>
  %s = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf32>, vector<32x32xf32>
  %d = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"],
    kind = #vector.kind<add>, lanewise.tf32} %l, %s, %z : vector<32x32xf32>, vector<32x32xf32> into vector<32x32xf32>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
// -----
// Nobody gave up digits: steps of 4.
// expect sm_80: mma 0
// expect gfx942: mma 16, fma 0
// lanewise.args a = normal(32, 32), b = normal(32, 32), c = empty(32, 32); grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @kept(%a: memref<32x32xf32>, %b: memref<32x32xf32>, %c: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<32x32xf32>
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf32>, vector<32x32xf32>
  %s = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf32>, vector<32x32xf32>
  %d = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"],
    kind = #vector.kind<add>} %l, %s, %z : vector<32x32xf32>, vector<32x32xf32> into vector<32x32xf32>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
// -----
// By wgmma, on data with more digits.
// expect sm_90a: wgmma 4
// lanewise.args a = normal(64, 64), b = normal(32, 64), c = empty(64, 32); grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @by_four(%a: memref<64x64xf32>, %b: memref<32x64xf32>, %c: memref<64x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 32 : index
  %depth = arith.constant 64 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<64x32xf32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<64x32xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x32xf32>
    %s = vector.transfer_read %b[%c0, %k], %p {in_bounds = [true, true]} : memref<32x64xf32>, vector<32x32xf32>
    %d = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>, lanewise.tf32} %l, %s, %sum : vector<64x32xf32>, vector<32x32xf32> into vector<64x32xf32>
    scf.yield %d : vector<64x32xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x32xf32>, memref<64x32xf32>
  gpu.return
}
