// C = A * B^T, f32 in and out, multiplied as tf32 where the chip does that, f32 accumulators, any M, N, K: weights as NxK (the form NT).
//
// f32 keeps its 24 bits unless a program gives them up: with lanewise.tf32 a product's operands need no more than 11. Chips without
// matrix instructions for tf32 multiply f32.
// lanewise.args M = 70, N = 136, K = 72 : a = integers(-3, 3, M, K), b = integers(-3, 3, N, K), c = empty(M, N) ; grid = (ceildiv(N, 128), ceildiv(M, 128), 1)
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

gpu.func @matmul_tf32(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<128x128xf32>
  %block_x = gpu.block_id x
  %block_y = gpu.block_id y
  %n = arith.muli %block_x, %c128 : index
  %m = arith.muli %block_y, %c128 : index
  %depth = memref.dim %A, %c1 : memref<?x?xf32>

  %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%acc = %zero) -> (vector<128x128xf32>) {
    %a = vector.transfer_read %A[%m, %k], %pad : memref<?x?xf32>, vector<128x32xf32>
    %b = vector.transfer_read %B[%n, %k], %pad : memref<?x?xf32>, vector<128x32xf32>
    %next = vector.contract {
      indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>,
      lanewise.tf32}
      %a, %b, %acc : vector<128x32xf32>, vector<128x32xf32> into vector<128x128xf32>
    scf.yield %next : vector<128x128xf32>
  }
  vector.transfer_write %sum, %C[%m, %n] : vector<128x128xf32>, memref<?x?xf32>
  gpu.return
}
