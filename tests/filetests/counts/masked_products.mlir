// Masked sums of products stay on the matrix unit: operands are zero where nothing is summed.
// test run
// test run data=special
// A box: 4 * 8 * 4 = 128 instructions of m16n8k16 of two subgroups, 64 each; 4 * 4 * 4 = 64 of 16x16x16, or 2 * 2 * 8 = 32 of
// 32x32x8, of one.
// expect sm_90: executed mma 128, mma 64, fma 0, spills 0
// expect gfx942: mma >= 32, mma <= 64, fma 0
// lanewise.args a = normal(64, 64), b = normal(64, 64), c = normal(64, 64), d = empty(64, 64), 50, 40, 30; grid = 1
gpu.func @box(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>, %d: memref<64x64xf32>,
    %m: index, %n: index, %k: index) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %q = arith.constant 0.0 : f32
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf16>, vector<64x64xf16>
  %r = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf16>, vector<64x64xf16>
  %s = vector.transfer_read %c[%c0, %c0], %q {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %on = vector.create_mask %m, %n, %k : vector<64x64x64xi1>
  %t = vector.mask %on { vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %l, %r, %s : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32> } : vector<64x64x64xi1> -> vector<64x64xf32>
  vector.transfer_write %t, %d[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// Masks of the operands, as the vector document has them, are the same: the box along k is that of both, rows and columns are chosen
// behind the product. The last eight of columns are known to be off: 4 * 7 * 4 = 112.
// expect sm_90: executed mma 112, mma 56, fma 0, spills 0
// expect gfx942: mma >= 32, mma <= 64, fma 0
// lanewise.args a = normal(64, 64), b = normal(64, 64), c = normal(64, 64), d = empty(64, 64), 50, 40, 30; grid = 1
gpu.func @of_operands(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>, %d: memref<64x64xf32>,
    %m: index, %n: index, %k: index) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %q = arith.constant 0.0 : f32
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf16>, vector<64x64xf16>
  %r = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf16>, vector<64x64xf16>
  %s = vector.transfer_read %c[%c0, %c0], %q {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %u = vector.create_mask %m, %k : vector<64x64xi1>
  %v = vector.constant_mask [20, 50] : vector<64x64xi1>
  %t = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %l, %r, %s, %u, %v : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
  vector.transfer_write %t, %d[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// No box: every third of what is summed, and a triangle of the sums. Of tiles of 16x8, 20 of 32 touch it, of 32x32 three of four.
// expect sm_90: executed mma >= 80, executed mma <= 128, fma 0, spills 0
// expect gfx942: mma 24, fma 0
// lanewise.args a = normal(64, 64), b = normal(64, 64), c = normal(64, 64), d = empty(64, 64); grid = 1
gpu.func @triangle(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>, %d: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %q = arith.constant 0.0 : f32
  %three = arith.constant dense<3> : vector<64xindex>
  %zero = arith.constant dense<0> : vector<64xindex>
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf16>, vector<64x64xf16>
  %r = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf16>, vector<64x64xf16>
  %s = vector.transfer_read %c[%c0, %c0], %q {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %step = vector.step : vector<64xindex>
  %rest = arith.remui %step, %three : vector<64xindex>
  %third = arith.cmpi eq, %rest, %zero : vector<64xindex>
  %summed = vector.broadcast %third : vector<64xi1> to vector<64x64x64xi1>
  %columns = vector.broadcast %step : vector<64xindex> to vector<64x64xindex>
  %rows = vector.transpose %columns, [1, 0] : vector<64x64xindex> to vector<64x64xindex>
  %below = arith.cmpi ule, %columns, %rows : vector<64x64xindex>
  %wide = vector.broadcast %below : vector<64x64xi1> to vector<64x64x64xi1>
  %places = vector.transpose %wide, [1, 2, 0] : vector<64x64x64xi1> to vector<64x64x64xi1>
  %on = arith.andi %summed, %places : vector<64x64x64xi1>
  %t = vector.mask %on { vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %l, %r, %s : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32> } : vector<64x64x64xi1> -> vector<64x64xf32>
  vector.transfer_write %t, %d[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// Integers, of which each row sums its own part: a zero of lhs is enough. 2 * 4 = 8 instructions of m16n8k32, of two subgroups.
// expect sm_90: executed mma 8, mma 4, spills 0
// lanewise.args a = integers(-3, 3, 32, 32), b = integers(-3, 3, 32, 32), c = integers(-3, 3, 32, 32), d = empty(32, 32); grid = 1
gpu.func @rows(%a: memref<32x32xi8>, %b: memref<32x32xi8>, %c: memref<32x32xi32>, %d: memref<32x32xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i8
  %q = arith.constant 0 : i32
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xi8>, vector<32x32xi8>
  %r = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xi8>, vector<32x32xi8>
  %s = vector.transfer_read %c[%c0, %c0], %q {in_bounds = [true, true]} : memref<32x32xi32>, vector<32x32xi32>
  %step = vector.step : vector<32xindex>
  %columns = vector.broadcast %step : vector<32xindex> to vector<32x32xindex>
  %rows = vector.transpose %columns, [1, 0] : vector<32x32xindex> to vector<32x32xindex>
  %below = arith.cmpi ule, %columns, %rows : vector<32x32xindex>
  %wide = vector.broadcast %below : vector<32x32xi1> to vector<32x32x32xi1>
  %on = vector.transpose %wide, [1, 0, 2] : vector<32x32x32xi1> to vector<32x32x32xi1>
  %t = vector.mask %on { vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %l, %r, %s : vector<32x32xi8>, vector<32x32xi8> into vector<32x32xi32> } : vector<32x32x32xi1> -> vector<32x32xi32>
  vector.transfer_write %t, %d[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xi32>, memref<32x32xi32>
  gpu.return
}
