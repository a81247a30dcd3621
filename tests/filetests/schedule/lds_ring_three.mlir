// A ring of three buffers: two tiles are on their way while one is multiplied, so that the wait in an iteration leaves those of one. The
// tiles, 256 x 64 of A and 64 x 128 of B, are 48 KB, three times that is 144 of 160 KB: no second workgroup would fit beside two of
// them either. The loop of what is left over reads into registers, and its tiles lie in the ring's bytes.
// Of 512 threads each copies 16 bytes 6 times a tile: 2 * 6 in front of the loop, 3 * 6 in three iterations of it as one. These have 3 *
// 256 * 128 * 64 / (32 * 32 * 16) products, 48 for each of eight subgroups: four instructions a product.
// test run target=gfx950
// expect gfx950: copies 30, exposed loads 0, product loop instructions <= 192, shared bytes 147456, conversions 0, spills 0
// lanewise.args M = 256, N = 128, K = 264 : a = integers(-3, 3, M, K), b = integers(-3, 3, K, N), c = empty(M, N) ; grid = (ceildiv(N, 128), ceildiv(M, 256), 1)
#mm = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

gpu.func @f(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 512, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<256x128xf32>
  %block_x = gpu.block_id x
  %block_y = gpu.block_id y
  %n = arith.muli %block_x, %c128 : index
  %c256 = arith.constant 256 : index
  %m = arith.muli %block_y, %c256 : index
  %depth = memref.dim %A, %c1 : memref<?x?xf16>

  %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zero) -> (vector<256x128xf32>) {
    %a = vector.transfer_read %A[%m, %k], %pad : memref<?x?xf16>, vector<256x64xf16>
    %b = vector.transfer_read %B[%k, %n], %pad : memref<?x?xf16>, vector<64x128xf16>
    %next = vector.contract {
      indexing_maps = [#mm, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %a, %b, %acc : vector<256x64xf16>, vector<64x128xf16> into vector<256x128xf32>
    scf.yield %next : vector<256x128xf32>
  }
  vector.transfer_write %sum, %C[%m, %n] : vector<256x128xf32>, memref<?x?xf32>
  gpu.return
}
