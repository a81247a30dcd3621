// C = scale * A * B^T, fp8 operands (OCP's e4m3), f32 accumulators, bf16 results, any M, N, K: weights as NxK (the form NT), and one
// scale for both operands, which the host multiplies of theirs.
//
// Chips without matrix instructions for this format multiply what is exactly the same in f16.
// lanewise.args M = 70, N = 136, K = 72 : a = integers(-3, 3, M, K), b = integers(-3, 3, N, K), scale = 0.25, c = empty(M, N) ; grid = (ceildiv(N, 128), ceildiv(M, 128), 1)
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

gpu.func @matmul_fp8(%A: memref<?x?xf8E4M3FN>, %B: memref<?x?xf8E4M3FN>, %scale: f32, %C: memref<?x?xbf16>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %pad = arith.constant 0.0 : f8E4M3FN
  %zero = arith.constant dense<0.0> : vector<128x128xf32>
  %block_x = gpu.block_id x
  %block_y = gpu.block_id y
  %n = arith.muli %block_x, %c128 : index
  %m = arith.muli %block_y, %c128 : index
  %depth = memref.dim %A, %c1 : memref<?x?xf8E4M3FN>

  %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zero) -> (vector<128x128xf32>) {
    %a = vector.transfer_read %A[%m, %k], %pad : memref<?x?xf8E4M3FN>, vector<128x64xf8E4M3FN>
    %b = vector.transfer_read %B[%n, %k], %pad : memref<?x?xf8E4M3FN>, vector<128x64xf8E4M3FN>
    %next = vector.contract {
      indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %a, %b, %acc : vector<128x64xf8E4M3FN>, vector<128x64xf8E4M3FN> into vector<128x128xf32>
    scf.yield %next : vector<128x128xf32>
  }
  %scales = vector.broadcast %scale : f32 to vector<128x128xf32>
  %scaled = arith.mulf %sum, %scales : vector<128x128xf32>
  %out = arith.truncf %scaled : vector<128x128xf32> to vector<128x128xbf16>
  vector.transfer_write %out, %C[%m, %n] : vector<128x128xbf16>, memref<?x?xbf16>
  gpu.return
}
