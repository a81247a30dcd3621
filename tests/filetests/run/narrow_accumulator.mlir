// A sum in bf16 is added in f32 on matrix units and rounded once a step: close to a tie it may be the other neighbour.
// test run
// test run target=gfx942
// lanewise.args M = 200, N = 136, K = 72 : a = normal(M, K), b = normal(K, N), c = empty(M, N) ; grid = (ceildiv(N, 64), ceildiv(M, 64), 1)
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @matmul(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xbf16>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : bf16
  %zero = arith.constant dense<0.0> : vector<64x64xbf16>
  %x = gpu.block_id x
  %y = gpu.block_id y
  %n = arith.muli %x, %c64 : index
  %m = arith.muli %y, %c64 : index
  %depth = memref.dim %A, %c1 : memref<?x?xbf16>
  %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%acc = %zero) -> (vector<64x64xbf16>) {
    %a = vector.transfer_read %A[%m, %k], %pad : memref<?x?xbf16>, vector<64x32xbf16>
    %b = vector.transfer_read %B[%k, %n], %pad : memref<?x?xbf16>, vector<32x64xbf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %acc : vector<64x32xbf16>, vector<32x64xbf16> into vector<64x64xbf16>
    scf.yield %next : vector<64x64xbf16>
  }
  vector.transfer_write %sum, %C[%m, %n] : vector<64x64xbf16>, memref<?x?xbf16>
  gpu.return
}
