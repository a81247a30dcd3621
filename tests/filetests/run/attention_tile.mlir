// One tile of attention, two chained products, no anchors: both on the matrix unit.
// test roundtrip
// test run
// test run target=gfx942
// test run target=gfx1100
// m16n8k16: 64/16 * 64/8 * 64/16 = 128 instructions for each of two products, by 4 subgroups that share them evenly.
// The multiply-adds left are those of 64 * 64 / 128 = 32 exponentials of a thread, 8 each at most.
// expect sm_80: executed mma 256, mma 64, fma <= 256, loop conversions 0, spills 0
// expect sm_90: executed mma 256, mma 64, fma <= 256, loop conversions 0, spills 0
// 32x32x8: 2 * 2 * 8 = 32 for a product, 16x16x16: 4 * 4 * 4 = 64, by 2 subgroups of 64. An f32 product would take 128.
// expect gfx942: executed mma >= 64, executed mma <= 128, mma <= 64, fma <= 512, spills 0
// 16x16x16: 4 * 4 * 4 = 64 for a product, by 4 subgroups of 32.
// expect gfx1100: executed mma 128, mma 32, fma <= 512, spills 0
// lanewise.args q = normal(64, 64), k = normal(64, 64), v = normal(64, 64), o = empty(64, 64); grid = 1
#mk = affine_map<(m,n,k)->(m,k)>
#nk = affine_map<(m,n,k)->(n,k)>
#kn = affine_map<(m,n,k)->(k,n)>
#mn = affine_map<(m,n,k)->(m,n)>
gpu.func @f(%Q: memref<64x64xf16>, %K: memref<64x64xf16>, %V: memref<64x64xf16>, %O: memref<64x64xf32>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %ninf = arith.constant dense<0xFF800000> : vector<64xf32>
  %q = vector.transfer_read %Q[%c0,%c0], %p {in_bounds=[true,true]} : memref<64x64xf16>, vector<64x64xf16>
  %k = vector.transfer_read %K[%c0,%c0], %p {in_bounds=[true,true]} : memref<64x64xf16>, vector<64x64xf16>
  %s = vector.contract {indexing_maps=[#mk,#nk,#mn], iterator_types=["parallel","parallel","reduction"], kind=#vector.kind<add>} %q,%k,%z : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
  %m = vector.multi_reduction <maxnumf>, %s, %ninf [1] : vector<64x64xf32> to vector<64xf32>
  %mb = vector.broadcast %m : vector<64xf32> to vector<64x64xf32>
  %mt = vector.transpose %mb, [1,0] : vector<64x64xf32> to vector<64x64xf32>
  %d = arith.subf %s, %mt : vector<64x64xf32>
  %e = math.exp %d : vector<64x64xf32>
  %h = arith.truncf %e : vector<64x64xf32> to vector<64x64xf16>
  %v = vector.transfer_read %V[%c0,%c0], %p {in_bounds=[true,true]} : memref<64x64xf16>, vector<64x64xf16>
  %o = vector.contract {indexing_maps=[#mk,#kn,#mn], iterator_types=["parallel","parallel","reduction"], kind=#vector.kind<add>} %h,%v,%z : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
  vector.transfer_write %o, %O[%c0,%c0] {in_bounds=[true,true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
