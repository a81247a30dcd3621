// C = A B^T, bytes with 32-bit accumulators, any M, N, K: 128x128 tiles of C, 64 of K at a time, both operands rows of K.
//
// Every chip's matrix instructions multiply bytes; sums wrap, so that every order gives the same bits.
// lanewise.args M = 70, N = 136, K = 72 : a = integers(-128, 127, M, K), b = integers(-128, 127, N, K), c = empty(M, N) ; grid = (ceildiv(N, 128), ceildiv(M, 128), 1)
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

gpu.func @matmul_i8(%A: memref<?x?xi8>, %B: memref<?x?xi8>, %C: memref<?x?xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %pad = arith.constant 0 : i8
  %zero = arith.constant dense<0> : vector<128x128xi32>
  %block_x = gpu.block_id x
  %block_y = gpu.block_id y
  %n = arith.muli %block_x, %c128 : index
  %m = arith.muli %block_y, %c128 : index
  %depth = memref.dim %A, %c1 : memref<?x?xi8>

  %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zero) -> (vector<128x128xi32>) {
    %a = vector.transfer_read %A[%m, %k], %pad : memref<?x?xi8>, vector<128x64xi8>
    %b = vector.transfer_read %B[%n, %k], %pad : memref<?x?xi8>, vector<128x64xi8>
    %next = vector.contract {
      indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %a, %b, %acc : vector<128x64xi8>, vector<128x64xi8> into vector<128x128xi32>
    scf.yield %next : vector<128x128xi32>
  }
  vector.transfer_write %sum, %C[%m, %n] : vector<128x128xi32>, memref<?x?xi32>
  gpu.return
}
