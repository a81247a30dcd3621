// One wave of 64 adds up rows while the other multiplies matrices on the matrix unit.
// test run target=gfx942
// 16x16x16 takes 8 instructions, 32x32x8 four.
// expect gfx942: mma <= 8, mma >= 4
// lanewise.args a = integers(-3, 3, 32, 32), b = integers(-3, 3, 32, 32), sums = empty(32), c = empty(32, 32); grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @k(%A: memref<32x32xf16>, %B: memref<32x32xf16>, %sums: memref<32xf32>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.subgroup_size = 64 : i64} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %y = arith.constant 0.0 : f32
  lanewise.split {subgroups = array<i64: 1, 1>} {
    %rows = vector.transfer_read %A[%c0, %c0], %z {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
    %wide = arith.extf %rows : vector<32x32xf16> to vector<32x32xf32>
    %zeros = arith.constant dense<0.0> : vector<32xf32>
    %s = vector.multi_reduction <add>, %wide, %zeros [1] : vector<32x32xf32> to vector<32xf32>
    vector.transfer_write %s, %sums[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  } {
    %a = vector.transfer_read %A[%c0, %c0], %z {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
    %b = vector.transfer_read %B[%c0, %c0], %z {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
    %zeros = arith.constant dense<0.0> : vector<32x32xf32>
    %c = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %zeros : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
    vector.transfer_write %c, %C[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  }
  gpu.return
}
