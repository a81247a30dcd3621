// What a lowering_config says of subgroups, lanes and threads is the layout of its operation: `thread` neighbours,
// `lane_basis` lanes along each iterator, `subgroup` or `subgroup_basis` subgroups.
// test roundtrip
// test run target=sm_80
// lanewise.args x = normal(16, 64), y = empty(16, 64)
// Two subgroups of 8 rows; 2 x 16 lanes with 4 neighbours each have 2 x 64 elements: 4 accesses of 16 bytes.
// expect sm_80: loads 4, stores 4, conversions 0, barriers 0
gpu.func @lanes(%x: memref<16x64xf32>, %y: memref<16x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x64xf32>, vector<16x64xf32>
  %b = arith.addf %a, %a {lowering_config = #iree_gpu.lowering_config<{
    subgroup_basis = [[2, 1], [0, 1]], lane_basis = [[2, 16], [0, 1]], thread = [0, 4]}>} : vector<16x64xf32>
  vector.transfer_write %b, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x64xf32>, memref<16x64xf32>
  gpu.return
}
// -----
// Four subgroups along what is summed, which the search would not choose: partial sums meet in shared memory. Of 8 rows
// each lane has 8 sums of 1024 / 4 / 32 = 8 elements, joined in 5 steps; sums of 4 subgroups need barriers.
// lanewise.args x = integers(-3, 3, 8, 1024), y = empty(8)
// expect sm_80: shared bytes >= 128, barriers >= 1, loads 16
gpu.func @across(%x: memref<8x1024xf32>, %y: memref<8xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<8xf32>
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x1024xf32>, vector<8x1024xf32>
  %b = vector.multi_reduction <add>, %a, %z {lowering_config = #iree_gpu.lowering_config<{
    subgroup_basis = [[1, 4], [0, 1]], lane_basis = [[1, 32], [0, 1]], thread = [0, 4]}>} [1] : vector<8x1024xf32> to vector<8xf32>
  vector.transfer_write %b, %y[%c0] {in_bounds = [true]} : vector<8xf32>, memref<8xf32>
  gpu.return
}
// -----
// The other way round, one subgroup for two rows: no barrier, 2 * 5 steps of shuffles; 2 * 1024 / 32 / 4 = 16 loads.
// lanewise.args x = integers(-3, 3, 8, 1024), y = empty(8)
// expect sm_80: shared bytes 0, barriers 0, loads 16, shuffles 10
gpu.func @along(%x: memref<8x1024xf32>, %y: memref<8xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<8xf32>
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x1024xf32>, vector<8x1024xf32>
  %b = vector.multi_reduction <add>, %a, %z {lowering_config = #iree_gpu.lowering_config<{
    subgroup = [2, 0], lane_basis = [[1, 32], [0, 1]], thread = [0, 4]}>} [1] : vector<8x1024xf32> to vector<8xf32>
  vector.transfer_write %b, %y[%c0] {in_bounds = [true]} : vector<8xf32>, memref<8xf32>
  gpu.return
}
// -----
// A product without matrix unit, as thread tiles ask: 16 x 4 threads have 2 x 4 elements, all of K; the first product of
// each is a product alone: 2 * 4 * 15 = 120.
// lanewise.args A = integers(-3, 3, 32, 16), B = integers(-3, 3, 16, 16), C = empty(32, 16)
// expect sm_80: mma 0, fma 120, shuffles 0, barriers 0
gpu.func @tiles(%A: memref<32x16xf32>, %B: memref<16x16xf32>, %C: memref<32x16xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<32x16xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x16xf32>, vector<32x16xf32>
  %b = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>,
    lowering_config = #iree_gpu.lowering_config<{thread = [2, 4, 0]}>} %a, %b, %z : vector<32x16xf32>, vector<16x16xf32> into vector<32x16xf32>
  vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<32x16xf32>, memref<32x16xf32>
  gpu.return
}
// -----
// A matrix and a vector, as IREE shares such products out: K along the lanes, rows to subgroups; f16, but no matrix unit.
// 4 rows of a subgroup and 4 columns are 16 sums of a lane, joined in 5 steps each.
// lanewise.args A = integers(-2, 2, 16, 256), B = integers(-2, 2, 4, 256), C = empty(16, 4)
// expect sm_80: mma 0, shuffles 80
gpu.func @rows(%A: memref<16x256xf16>, %B: memref<4x256xf16>, %C: memref<16x4xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<16x4xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x256xf16>, vector<16x256xf16>
  %b = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<4x256xf16>, vector<4x256xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>,
    lowering_config = #iree_gpu.lowering_config<{subgroup_basis = [[4, 1, 1], [0, 1, 2]], lane_basis = [[1, 1, 32], [0, 1, 2]], thread = [0, 0, 8]}>} %a, %b, %z : vector<16x256xf16>, vector<4x256xf16> into vector<16x4xf32>
  vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<16x4xf32>, memref<16x4xf32>
  gpu.return
}
// -----
// What one subgroup does of a product on matrix units: 32 x 32 of 64 x 64 x 32 are 2 * 4 * 2 mma.sync; a read and a
// write with layouts of their own: one conversion each way at least.
// lanewise.args A = normal(64, 32), B = normal(32, 64), C = empty(64, 64)
// expect sm_80: mma 16, conversions >= 2
gpu.func @blocks(%A: memref<64x32xf16>, %B: memref<32x64xf16>, %C: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true],
    lowering_config = #iree_gpu.lowering_config<{lane_basis = [[8, 4], [0, 1]], thread = [0, 8]}>} : memref<64x32xf16>, vector<64x32xf16>
  %b = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x64xf16>, vector<32x64xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>,
    lowering_config = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, subgroup = [32, 32, 0]}>} %a, %b, %z : vector<64x32xf16>, vector<32x64xf16> into vector<64x64xf32>
  %t = vector.transpose %d, [1, 0] {lowering_config = #iree_gpu.lowering_config<{thread = [1, 4]}>} : vector<64x64xf32> to vector<64x64xf32>
  vector.transfer_write %t, %C[%c0, %c0] {in_bounds = [true, true], lowering_config = #iree_gpu.lowering_config<{thread = [1, 4]}>} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// Of products of tiles the iterators count tiles: four subgroups with 1 x 2 of 2 x 4 tiles each, two steps of K in a loop
// around: 1 * 2 mma.sync, twice.
// lanewise.args A = normal(2, 2, 16, 16), B = normal(2, 4, 16, 8), C = empty(2, 4, 16, 8)
// expect sm_80: mma 2, executed mma 16
#mm = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
gpu.func @of_tiles(%A: memref<2x2x16x16xf16>, %B: memref<2x4x16x8xf16>, %C: memref<2x4x16x8xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<2x4x16x8xf32>
  %a = vector.transfer_read %A[%c0, %c0, %c0, %c0], %p {in_bounds = [true, true, true, true]} : memref<2x2x16x16xf16>, vector<2x2x16x16xf16>
  %b = vector.transfer_read %B[%c0, %c0, %c0, %c0], %p {in_bounds = [true, true, true, true]} : memref<2x4x16x8xf16>, vector<2x4x16x8xf16>
  %d = iree_gpu.multi_mma %a, %b, %zero {indexing_maps = #mm, iterator_types = ["parallel", "parallel", "reduction"],
    kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>,
    lowering_config = #iree_gpu.lowering_config<{subgroup = [1, 2, 0], reduction = [0, 0, 1]}>}
    : vector<2x2x16x16xf16>, vector<2x4x16x8xf16> into vector<2x4x16x8xf32>
  vector.transfer_write %d, %C[%c0, %c0, %c0, %c0] {in_bounds = [true, true, true, true]} : vector<2x4x16x8xf32>, memref<2x4x16x8xf32>
  gpu.return
}
