// A transpose that nobody uses, of a tile that four subgroups read in shared memory, and a sum that a loop carries for
// itself alone: 256 threads are two fours, each with 64 rows and 64 columns; 64 along the sum are four steps of 16.
// test run target=sm_90a data=exact
// lanewise.args N = 192: q = normal(128, 64), k = normal(N, 64), o = empty(128, 64), N
// expect sm_90a: mma 4, layout vector.transpose 0, layout arith.addf 0, conversions 0
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @f(%Q: memref<128x64xf16>, %K: memref<?x64xf16>, %O: memref<128x64xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<128x64xf32>
  %none = arith.constant dense<0.0> : vector<64x64xf16>
  %q = vector.transfer_read %Q[%c0, %c0], %pad {in_bounds = [true, true]} : memref<128x64xf16>, vector<128x64xf16>
  %r:2 = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero, %t = %none) -> (vector<128x64xf32>, vector<64x64xf16>) {
    %k = vector.transfer_read %K[%i, %c0], %pad {in_bounds = [true, true]} : memref<?x64xf16>, vector<64x64xf16>
    %dead = vector.transpose %k, [1, 0] : vector<64x64xf16> to vector<64x64xf16>
    %u = arith.addf %t, %dead : vector<64x64xf16>
    %p = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %q, %k, %s : vector<128x64xf16>, vector<64x64xf16> into vector<128x64xf32>
    scf.yield %p, %u : vector<128x64xf32>, vector<64x64xf16>
  }
  vector.transfer_write %r#0, %O[%c0, %c0] {in_bounds = [true, true]} : vector<128x64xf32>, memref<128x64xf32>
  gpu.return
}
// -----
// A product that nobody uses is not computed: the instruction that it asks for need not be the chip's.
// lanewise.args x = normal(64), y = empty(64)
// expect sm_90a: mma 0, layout vector.contract 0
gpu.func @unused(%x: memref<64xf32>, %y: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %0 = vector.contract {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>, affine_map<(m) -> ()>],
    iterator_types = ["reduction"], kind = #vector.kind<add>,
    lowering_config = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>}>}
    %v, %v, %p : vector<64xf32>, vector<64xf32> into f32
  vector.transfer_write %v, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
