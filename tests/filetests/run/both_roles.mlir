// One value is lhs of one product and rhs of the other: a*b + b*a.
// test roundtrip
// test run
// Two products of 2 * 4 * 2 = 16 instructions of m16n8k16; what is held as lhs and as rhs takes conversions or a second read.
// expect sm_90: mma 32, fma 0, spills 0
// lanewise.args a = integers(-3, 3, 32, 32), b = integers(-3, 3, 32, 32), c = empty(32, 32); grid = 1
gpu.func @f(%A: memref<32x32xf16>, %B: memref<32x32xf16>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<32x32xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %b = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %a, %b, %z : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
  %e = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %b, %a, %d : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
  vector.transfer_write %e, %C[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
