// On gfx950 lanes copy tiles to shared memory themselves, three iterations ahead, and read B across its rows as they lie. Of
// 64 x 64 x 32 multiply-adds 32x32x16 does 16384: two for each of four subgroups. Of A and of B a thread copies 16 bytes each; of A it
// reads 16 twice, of B 8 four times. Four iterations are one, so that the buffers' numbers are constants: four times two products, two
// copies, six reads and a barrier are 44, and waits, numbers of tiles and M0 no more than that. Before it stand six copies, behind
// it the loop of what is not whole, whose tiles share bytes with the four.
// test run target=gfx950 M=70 K=200
// test run target=gfx950 M=64 N=128 K=24
// expect gfx950: mma 10, copies 14, product loop instructions <= 96, conversions 0, shared bytes 32768, spills 0, bank conflicts 0
// expect gfx942: copies 0
// lanewise.args M = 64, N = 64, K = 160 : a = integers(-3, 3, M, K), b = integers(-3, 3, K, N), c = empty(M, N) ; grid = (ceildiv(N, 64), ceildiv(M, 64), 1)
#mm = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

gpu.func @f(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<64x64xf32>
  %block_x = gpu.block_id x
  %block_y = gpu.block_id y
  %n = arith.muli %block_x, %c64 : index
  %m = arith.muli %block_y, %c64 : index
  %depth = memref.dim %A, %c1 : memref<?x?xf16>

  %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %a = vector.transfer_read %A[%m, %k], %pad : memref<?x?xf16>, vector<64x32xf16>
    %b = vector.transfer_read %B[%k, %n], %pad : memref<?x?xf16>, vector<32x64xf16>
    %next = vector.contract {
      indexing_maps = [#mm, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %a, %b, %acc : vector<64x32xf16>, vector<32x64xf16> into vector<64x64xf32>
    scf.yield %next : vector<64x64xf32>
  }
  vector.transfer_write %sum, %C[%m, %n] : vector<64x64xf32>, memref<?x?xf32>
  gpu.return
}
