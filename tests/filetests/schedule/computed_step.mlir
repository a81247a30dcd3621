// A step and an end that are computed of constants are constants: the loop gets its ring, and of 64 x 64 x 32 multiply-adds
// m16n8k16 does 2048, a quarter in each of four subgroups: 16.
// test run
// expect sm_80: mma 16, barriers 1, layout lanewise.async_copy 6, layout arith.muli 0
// lanewise.args a = integers(-3, 3, 64, 96), b = integers(-3, 3, 96, 64), c = empty(64, 64) ; grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @matmul(%A: memref<64x96xf16>, %B: memref<96x64xf16>, %C: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c8_i32 = arith.constant 8 : i32
  %c8 = arith.index_cast %c8_i32 : i32 to index
  %c32 = arith.muli %c4, %c8 : index
  %c48 = arith.muli %c6, %c8 : index
  %c96 = arith.addi %c48, %c48 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<64x64xf32>
  %sum = scf.for %k = %c0 to %c96 step %c32 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %a = vector.transfer_read %A[%c0, %k], %pad {in_bounds = [true, true]} : memref<64x96xf16>, vector<64x32xf16>
    %b = vector.transfer_read %B[%k, %c0], %pad {in_bounds = [true, true]} : memref<96x64xf16>, vector<32x64xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %acc : vector<64x32xf16>, vector<32x64xf16> into vector<64x64xf32>
    scf.yield %next : vector<64x64xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
