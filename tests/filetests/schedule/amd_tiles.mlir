// B lies k x n in memory, and a lane wants neighbours along k: its tile is transposed on the way into shared memory, and rows
// change places by their number. Of 128 x 128 x 64 multiply-adds 32x32x8 does 8192, and four subgroups a quarter each: 32.
// 64 x 64 numbers of A and of B for each subgroup are 8 reads of 16 bytes a lane each. The loop of whole tiles compares nothing:
// 32 + 16 reads, 16 permutations, 4 + 8 stores, 8 loads, 2 barriers are 86; for waits, places and the counter there are 26:
// 3.5 for each product. The loop of the rest, behind it, has all of them again. A step of 16 along K takes four of the reads, which
// stand four products or more ahead of it, 32 cycles each: only those of the first step are waited for with nothing before them.
// expect gfx942: mma 64, product loop instructions <= 112, exposed shared loads <= 4, conversions 0, shared bytes 32768, spills 0, bank conflicts 0
// lanewise.args M = 130, N = 128, K = 136 : a = integers(-3, 3, M, K), b = integers(-3, 3, K, N), c = empty(M, N) ; grid = (ceildiv(N, 128), ceildiv(M, 128), 1)
#mm = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

gpu.func @f(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<128x128xf32>
  %block_x = gpu.block_id x
  %block_y = gpu.block_id y
  %n = arith.muli %block_x, %c128 : index
  %m = arith.muli %block_y, %c128 : index
  %depth = memref.dim %A, %c1 : memref<?x?xf16>

  %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zero) -> (vector<128x128xf32>) {
    %a = vector.transfer_read %A[%m, %k], %pad : memref<?x?xf16>, vector<128x64xf16>
    %b = vector.transfer_read %B[%k, %n], %pad : memref<?x?xf16>, vector<64x128xf16>
    %next = vector.contract {
      indexing_maps = [#mm, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %a, %b, %acc : vector<128x64xf16>, vector<64x128xf16> into vector<128x128xf32>
    scf.yield %next : vector<128x128xf32>
  }
  vector.transfer_write %sum, %C[%m, %n] : vector<128x128xf32>, memref<?x?xf32>
  gpu.return
}
// -----
// B lies n x k: nothing is transposed, so that 16 permutations and 4 of the stores are not there.
// expect gfx942: mma 64, product loop instructions <= 108, conversions 0, bank conflicts 0
// lanewise.args M = 130, N = 128, K = 136 : a = integers(-3, 3, M, K), b = integers(-3, 3, N, K), c = empty(M, N) ; grid = (ceildiv(N, 128), ceildiv(M, 128), 1)
#mm = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

gpu.func @f(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<128x128xf32>
  %block_x = gpu.block_id x
  %block_y = gpu.block_id y
  %n = arith.muli %block_x, %c128 : index
  %m = arith.muli %block_y, %c128 : index
  %depth = memref.dim %A, %c1 : memref<?x?xf16>

  %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zero) -> (vector<128x128xf32>) {
    %a = vector.transfer_read %A[%m, %k], %pad : memref<?x?xf16>, vector<128x64xf16>
    %b = vector.transfer_read %B[%n, %k], %pad : memref<?x?xf16>, vector<128x64xf16>
    %next = vector.contract {
      indexing_maps = [#mm, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %a, %b, %acc : vector<128x64xf16>, vector<128x64xf16> into vector<128x128xf32>
    scf.yield %next : vector<128x128xf32>
  }
  vector.transfer_write %sum, %C[%m, %n] : vector<128x128xf32>, memref<?x?xf32>
  gpu.return
}
// -----
// Bytes: of a block of 4 x 4 each word takes two permutations. Loops carry them as words.
// test run target=gfx942
// expect gfx942: conversions 0
// lanewise.args M = 20, N = 36, K = 144 : a = integers(-3, 3, M, K), b = integers(-3, 3, K, N), c = empty(M, N) ; grid = (ceildiv(N, 64), ceildiv(M, 64), 1)
#mm = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

gpu.func @f(%A: memref<?x?xi8>, %B: memref<?x?xi8>, %C: memref<?x?xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %step = arith.constant 128 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0 : i8
  %zero = arith.constant dense<0> : vector<64x64xi32>
  %block_x = gpu.block_id x
  %block_y = gpu.block_id y
  %n = arith.muli %block_x, %c64 : index
  %m = arith.muli %block_y, %c64 : index
  %depth = memref.dim %A, %c1 : memref<?x?xi8>

  %sum = scf.for %k = %c0 to %depth step %step iter_args(%acc = %zero) -> (vector<64x64xi32>) {
    %a = vector.transfer_read %A[%m, %k], %pad : memref<?x?xi8>, vector<64x128xi8>
    %b = vector.transfer_read %B[%k, %n], %pad : memref<?x?xi8>, vector<128x64xi8>
    %next = vector.contract {
      indexing_maps = [#mm, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %a, %b, %acc : vector<64x128xi8>, vector<128x64xi8> into vector<64x64xi32>
    scf.yield %next : vector<64x64xi32>
  }
  vector.transfer_write %sum, %C[%m, %n] : vector<64x64xi32>, memref<?x?xi32>
  gpu.return
}
