// C = A * B, f16 operands, f32 accumulators and result, any M, N, K: 128x128 tiles of C, 32 of K at a time.
//
// The text names no layout, no shared memory and no barrier. lanewise chooses fragments of the chip's matrix instruction for
// the contraction (plain multiply-adds where it has none) and 128-bit accesses of global memory, brings the tiles of A and B
// through shared memory, and reads the next ones while these are multiplied.
// lanewise.args M = 200, N = 136, K = 72 : a = integers(-3, 3, M, K), b = integers(-3, 3, K, N), c = empty(M, N) ; grid = (ceildiv(N, 128), ceildiv(M, 128), 1)
#mm = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

gpu.func @matmul_f16(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<128x128xf32>
  %block_x = gpu.block_id x
  %block_y = gpu.block_id y
  %n = arith.muli %block_x, %c128 : index
  %m = arith.muli %block_y, %c128 : index
  %depth = memref.dim %A, %c1 : memref<?x?xf16>

  %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%acc = %zero) -> (vector<128x128xf32>) {
    %a = vector.transfer_read %A[%m, %k], %pad : memref<?x?xf16>, vector<128x32xf16>
    %b = vector.transfer_read %B[%k, %n], %pad : memref<?x?xf16>, vector<32x128xf16>
    %next = vector.contract {
      indexing_maps = [#mm, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %a, %b, %acc : vector<128x32xf16>, vector<32x128xf16> into vector<128x128xf32>
    scf.yield %next : vector<128x128xf32>
  }
  vector.transfer_write %sum, %C[%m, %n] : vector<128x128xf32>, memref<?x?xf32>
  gpu.return
}
