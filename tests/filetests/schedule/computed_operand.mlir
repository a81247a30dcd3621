// The left operand of the second product is the first one's result. A lane has it in runs of four along the summed dimension, as
// 32x32x8 takes it, so of V the tile's rows are mixed in pieces of 8 bytes, and nothing changes its layout in the loop.
// test run target=gfx942
// 128 x 64 x 64 are 64 of 32x32x8, 16 for each of four subgroups, twice. Reads of pieces meet no bank conflict. Its writes are to
// every second row, half of the pieces: of 4 for each of four waves every one takes 4 passes more, 64 in each of two iterations.
// expect gfx942: mma 32, loop conversions 0, spills 0, bank conflicts <= 128, layout memref.alloc 2
// A chip that transposes as it loads has no use for that.
// expect sm_80: loop conversions 0, bank conflicts 0, layout memref.alloc 2
// lanewise.args N = 128 : q = integers(-2, 2), k = integers(-2, 2, N, 64), v = integers(-2, 2, N, 64), o = empty() ; grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#product = ["parallel", "parallel", "reduction"]
gpu.func @f(%Q: memref<128x64xf16>, %K: memref<?x64xf16>, %V: memref<?x64xf16>, %O: memref<128x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<128x64xf32>
  %q = vector.transfer_read %Q[%c0, %c0], %pad {in_bounds = [true, true]} : memref<128x64xf16>, vector<128x64xf16>
  %end = memref.dim %K, %c0 : memref<?x64xf16>
  %r = scf.for %n = %c0 to %end step %c64 iter_args(%o = %zero) -> (vector<128x64xf32>) {
    %k = vector.transfer_read %K[%n, %c0], %pad {in_bounds = [true, true]} : memref<?x64xf16>, vector<64x64xf16>
    %v = vector.transfer_read %V[%n, %c0], %pad {in_bounds = [true, true]} : memref<?x64xf16>, vector<64x64xf16>
    %s = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = #product, kind = #vector.kind<add>}
      %q, %k, %zero : vector<128x64xf16>, vector<64x64xf16> into vector<128x64xf32>
    %p = arith.truncf %s : vector<128x64xf32> to vector<128x64xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = #product, kind = #vector.kind<add>}
      %p, %v, %o : vector<128x64xf16>, vector<64x64xf16> into vector<128x64xf32>
    scf.yield %next : vector<128x64xf32>
  }
  vector.transfer_write %r, %O[%c0, %c0] {in_bounds = [true, true]} : vector<128x64xf32>, memref<128x64xf32>
  gpu.return
}
