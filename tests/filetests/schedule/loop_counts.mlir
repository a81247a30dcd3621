// The loop of a plain product, instruction by instruction: 128x128 of C, 32 of K at a time, four subgroups of 64x64 each.
// Of 128 x 128 x 32 multiply-adds m16n8k16 does 2048, and a subgroup a quarter: 64. A fragment of four 8x8 matrices is loaded
// at once: 64 x 32 numbers of A and of B each are 2 * 8; a thread copies 8 of the 2 * 512 pieces of 16 bytes. Each copy
// takes two instructions for its address and one for its bounds: 64 + 16 + 8 * 4 = 112. For the rest (waits, slots, the
// counter, the sums that copies share) there are 28: 140 was the mark, 123 were reached by hand without bounds.
// expect sm_80: mma 64, matrix loads 16, barriers 1, sass loop instructions <= 140, registers <= 255, spills 0
// expect sm_90: mma 64, matrix loads 16, barriers 1, sass loop instructions <= 140, registers <= 255, spills 0
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

gpu.func @matmul(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
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
      indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %a, %b, %acc : vector<128x32xf16>, vector<32x128xf16> into vector<128x128xf32>
    scf.yield %next : vector<128x128xf32>
  }
  vector.transfer_write %sum, %C[%m, %n] : vector<128x128xf32>, memref<?x?xf32>
  gpu.return
}
