// test run target=gfx950
// All is inside of memory, so that there is no second loop; five iterations are no multiple of four buffers, and stay as they are:
// two copies in each, and six ahead. B lies n x k and is read as A is.
// expect gfx950: mma 2, copies 8, conversions 0, shared bytes 32768, bank conflicts 0
// lanewise.args a = integers(-3, 3, 64, 160), b = integers(-3, 3, 64, 160), c = empty(64, 64) ; grid = 1
#mm = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

gpu.func @f(%A: memref<64x160xf16>, %B: memref<64x160xf16>, %C: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c160 = arith.constant 160 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<64x64xf32>
  %sum = scf.for %k = %c0 to %c160 step %c32 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %a = vector.transfer_read %A[%c0, %k], %pad {in_bounds = [true, true]} : memref<64x160xf16>, vector<64x32xf16>
    %b = vector.transfer_read %B[%c0, %k], %pad {in_bounds = [true, true]} : memref<64x160xf16>, vector<64x32xf16>
    %next = vector.contract {
      indexing_maps = [#mm, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %a, %b, %acc : vector<64x32xf16>, vector<64x32xf16> into vector<64x64xf32>
    scf.yield %next : vector<64x64xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// A place that moves in a way of its own is not known to be inside of memory: no tile of the loop is copied so.
// expect gfx950: copies 0
// lanewise.args K = 128 : a = integers(-3, 3, 128, K), b = integers(-3, 3, K, 64), c = empty(64, 64) ; grid = 1
#mm = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

gpu.func @f(%A: memref<128x?xf16>, %B: memref<?x64xf16>, %C: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<64x64xf32>
  %depth = memref.dim %A, %c1 : memref<128x?xf16>
  %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %a = vector.transfer_read %A[%k, %k], %pad : memref<128x?xf16>, vector<64x32xf16>
    %b = vector.transfer_read %B[%k, %c0], %pad : memref<?x64xf16>, vector<32x64xf16>
    %next = vector.contract {
      indexing_maps = [#mm, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %a, %b, %acc : vector<64x32xf16>, vector<32x64xf16> into vector<64x64xf32>
    scf.yield %next : vector<64x64xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
