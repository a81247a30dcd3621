// A product whose left operand is in registers is wgmma, too, where the right one lies in shared memory: what is converted
// or scaled on its way, or was a product before.
// test run target=sm_90a
// lanewise.args A = normal(128, 64), B = normal(64, 64), C = empty(128, 64)
// 128 x 64 x 64 are 2 * 1 * 4 wgmma m64n64k16 of the one four of subgroups; A goes from its reads to fragments.
// expect sm_90a: mma 8
gpu.func @converted(%A: memref<128x64xf32>, %B: memref<64x64xf16>, %C: memref<128x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %q = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<128x64xf32>
  %tile = memref.alloc() : memref<64x64xf16, #gpu.address_space<workgroup>>
  %a0 = vector.transfer_read %A[%c0, %c0], %q {in_bounds = [true, true]} : memref<128x64xf32>, vector<128x64xf32>
  %a = arith.truncf %a0 : vector<128x64xf32> to vector<128x64xf16>
  %b0 = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf16>, vector<64x64xf16>
  vector.transfer_write %b0, %tile[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf16>, memref<64x64xf16, #gpu.address_space<workgroup>>
  %b = vector.transfer_read %tile[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<64x64xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %z : vector<128x64xf16>, vector<64x64xf16> into vector<128x64xf32>
  vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<128x64xf32>, memref<128x64xf32>
  gpu.return
}
// -----
// A product of a product: its sums, converted, are fragments as they lie. 64 x 32 x 32 and 64 x 64 x 32 are 2 + 2 steps.
// The exchanged one: C^T = B^T A^T, where the operand in registers is the right one.
// lanewise.args A = integers(-2, 2, 64, 32), B = integers(-2, 2, 32, 32), V = integers(-2, 2, 32, 64), C = empty(64, 64)
// expect sm_90a: mma 4, loop conversions 0
#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
gpu.func @chained(%A: memref<64x32xbf16>, %B: memref<32x32xbf16>, %V: memref<32x64xbf16>, %C: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 0.0 : bf16
  %z = arith.constant dense<0.0> : vector<64x32xf32>
  %y = arith.constant dense<0.0> : vector<64x64xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x32xbf16>, vector<64x32xbf16>
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%sum = %y) -> (vector<64x64xf32>) {
    %row = arith.muli %i, %c1 : index
    %b = vector.transfer_read %B[%row, %c0], %p {in_bounds = [true, true]} : memref<32x32xbf16>, vector<32x32xbf16>
    %v = vector.transfer_read %V[%row, %c0], %p {in_bounds = [true, true]} : memref<32x64xbf16>, vector<32x64xbf16>
    %s = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %z : vector<64x32xbf16>, vector<32x32xbf16> into vector<64x32xf32>
    %t = arith.truncf %s : vector<64x32xf32> to vector<64x32xbf16>
    %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %t, %v, %sum : vector<64x32xbf16>, vector<32x64xbf16> into vector<64x64xf32>
    scf.yield %d : vector<64x64xf32>
  }
  vector.transfer_write %r, %C[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
