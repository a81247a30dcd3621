// A constant is made in whatever fragment the product wants.
// test roundtrip
// test run
// 2 * 4 * 2 = 16 instructions of m16n8k16, of which those of both halves of the rows are the same: 8 are left.
// Nothing is read for the constant, 32 * 32 * 2 bytes of B.
// expect sm_90: mma 8, fma 0, read bytes 2048, spills 0
// lanewise.args a = integers(-3, 3, 32, 32), b = integers(-3, 3, 32, 32), c = empty(32, 32); grid = 1
gpu.func @f(%A: memref<32x32xf16>, %B: memref<32x32xf16>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<32x32xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %b = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %two = arith.constant dense<2.0> : vector<32x32xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %two, %b, %z : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
  vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
