// Extents that tile sizes do not divide, filled up as `padding` says: tiles at the edges read zeros beyond them, and
// write nothing there.
// test roundtrip
// test run target=sm_80
// lanewise.args a = normal(100, 72), b = normal(72, 52), bias = normal(52), c = empty(52, 100); grid = (2, 2, 1)
// A step of 64 x 32 x 32 is 4 * 4 * 2 mma.sync m16n8k16 of 2 subgroups.
// expect sm_80: mma 16
#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
gpu.func @gemm(%A: memref<100x72xf16>, %B: memref<72x52xf16>, %bias: memref<52xf32>, %C: memref<52x100xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %q = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<100x52xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<100x72xf16>, vector<100x72xf16>
  %b = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<72x52xf16>, vector<72x52xf16>
  %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"],
    kind = #vector.kind<add>,
    lowering_config = #iree_gpu.lowering_config<{workgroup = [64, 32, 0], reduction = [0, 0, 32], padding = [64, 32, 32]}>}
    %a, %b, %zero : vector<100x72xf16>, vector<72x52xf16> into vector<100x52xf32>
  %row = vector.transfer_read %bias[%c0], %q {in_bounds = [true]} : memref<52xf32>, vector<52xf32>
  %rows = vector.broadcast %row : vector<52xf32> to vector<100x52xf32>
  %e = arith.addf %d, %rows : vector<100x52xf32>
  %f = arith.truncf %e : vector<100x52xf32> to vector<100x52xf16>
  %t = vector.transpose %f, [1, 0] : vector<100x52xf16> to vector<52x100xf16>
  vector.transfer_write %t, %C[%c0, %c0] {in_bounds = [true, true]} : vector<52x100xf16>, memref<52x100xf16>
  gpu.return
}
// -----
// The memory goes on where the vectors end, and what is read is changed before it is multiplied: exp2 of padding is
// not 0. Elements beyond the end are neither summed nor written.
// lanewise.args a = normal(40, 40), b = normal(40, 40), c = normal(40, 40); grid = 2
#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
gpu.func @inside(%A: memref<40x40xf32>, %B: memref<40x40xf32>, %C: memref<40x40xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<20x24xf32>
  %a = vector.transfer_read %A[%c1, %c0], %p {in_bounds = [true, true]} : memref<40x40xf32>, vector<20x20xf32>
  %b = vector.transfer_read %B[%c0, %c1], %p {in_bounds = [true, true]} : memref<40x40xf32>, vector<20x24xf32>
  %x = math.exp2 %a : vector<20x20xf32>
  %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"],
    kind = #vector.kind<add>,
    lowering_config = #iree_gpu.lowering_config<{workgroup = [16, 0, 0], reduction = [0, 0, 8], padding = [16, 0, 8]}>}
    %x, %b, %zero : vector<20x20xf32>, vector<20x24xf32> into vector<20x24xf32>
  vector.transfer_write %d, %C[%c1, %c1] {in_bounds = [true, true]} : vector<20x24xf32>, memref<40x40xf32>
  gpu.return
}
// -----
// Without tile sizes the vectors themselves. 16 x 16 x 16 would do, two mma.sync m16n8k16; 32 x 16 x 32 are asked for, of
// which the products of rows that nobody takes fall away: 1 * 2 * 2.
// lanewise.args a = normal(10, 14), b = normal(14, 12), c = empty(10, 12)
// expect sm_80: mma 4
#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
gpu.func @whole(%A: memref<10x14xf16>, %B: memref<14x12xf16>, %C: memref<10x12xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<10x12xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<10x14xf16>, vector<10x14xf16>
  %b = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<14x12xf16>, vector<14x12xf16>
  %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"],
    kind = #vector.kind<add>, lowering_config = #iree_gpu.lowering_config<{padding = [32, 16, 32]}>}
    %a, %b, %zero : vector<10x14xf16>, vector<14x12xf16> into vector<10x12xf32>
  vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<10x12xf32>, memref<10x12xf32>
  gpu.return
}
