// A product written as a loop of two reads and a contraction. Tiles of A and B go through shared memory, and the next ones
// come while these are multiplied: nothing changes its layout in the loop.
// test run M=64 N=64 K=64
// test run M=70 N=33 K=50
// test run M=64 N=64 K=0
// test run target=gfx942 M=70 N=33 K=50
// test run target=gfx1100 M=70 N=33 K=50
// test run target=sm_70 M=70 N=33 K=50
// Of 64 x 64 x 32 multiply-adds m16n8k16 does 2048 and four subgroups a quarter each: 16; 32x32x8 and 16x16x16 do 8192 and 4096.
// Two copies of 64 x 32 numbers of two bytes are 2 x 2 accesses of 16 bytes for each of 128 threads. Of A two rows are in a line
// of 128 bytes, in which pieces of 16 bytes change places; of B rows are 64 + 8 numbers long: 8704 bytes. Of these 128 threads take 64 + 32 * 64 * 64 / (32 * 128) = 96 registers each, so that 5 workgroups
// fit: three times a tile each on sm_80, four times on sm_90. A ring has one barrier. Where K is odd, A's rows cannot be copied by
// 16 bytes: they are read ahead (before the loop and in it), 64 * 40 numbers beside four times 32 * 72 of B.
// expect sm_80: mma 16, conversions 0, barriers 1, shared bytes 26112, bank conflicts 0, layout memref.alloc 2, layout vector.transfer_read 2
// expect sm_90: mma 16, conversions 0, barriers 1, shared bytes 34816, bank conflicts 0, layout memref.alloc 2, layout lanewise.async_copy 8
// expect sm_80 K=95: mma 16, conversions 0, barriers 2, shared bytes 23552, layout vector.transfer_read 4
// expect gfx942: conversions 0, layout memref.alloc 2, spills 0
// On gfx1100 16x16x16 does 4096: 32 of four subgroups, in a loop of whole tiles and one of the rest.
// expect gfx1100: mma 16, layout memref.alloc 2, spills 0
// lanewise.args M = 64, N = 64, K = 96 : a = integers(-3, 3, M, K), b = integers(-3, 3, K, N), c = empty(M, N) ; grid = (ceildiv(N, 64), ceildiv(M, 64), 1)
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @matmul(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<64x64xf32>
  %x = gpu.block_id x
  %y = gpu.block_id y
  %n = arith.muli %x, %c64 : index
  %m = arith.muli %y, %c64 : index
  %depth = memref.dim %A, %c1 : memref<?x?xf16>
  %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %a = vector.transfer_read %A[%m, %k], %pad : memref<?x?xf16>, vector<64x32xf16>
    %b = vector.transfer_read %B[%k, %n], %pad : memref<?x?xf16>, vector<32x64xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %acc : vector<64x32xf16>, vector<32x64xf16> into vector<64x64xf32>
    scf.yield %next : vector<64x64xf32>
  }
  vector.transfer_write %sum, %C[%m, %n] : vector<64x64xf32>, memref<?x?xf32>
  gpu.return
}
