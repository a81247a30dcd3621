// A row's tiles of 256 are added element by element, two by each of 128 threads, in one access and two additions of an
// iteration; threads meet once, behind the loop. 1024 * 4 / 32 sectors are read, one is written.
// test roundtrip
// test run target=gfx942
// expect gfx942: layout scf.for 1, loads 1, sectors 129, layout vector.multi_reduction 1, loop conversions 0
// lanewise.args x = normal(8, 1024), y = empty(8) ; grid = 1
gpu.func @sum(%x: memref<8x1024xf32>, %y: memref<8xf32>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %row = arith.constant 3 : index
  %a = vector.transfer_read %x[%row, %c0], %p {in_bounds = [true]} : memref<8x1024xf32>, vector<1024xf32>
  %s = vector.multi_reduction <add>, %a, %p {lowering_config = #iree_gpu.lowering_config<{partial_reduction = [256],
    thread = [2], lane_basis = [[64], [0]], subgroup_basis = [[2], [0]]}>} [0] : vector<1024xf32> to f32
  memref.store %s, %y[%row] : memref<8xf32>
  gpu.return
}
// -----
// The greatest of columns, of two of three dimensions, one of which stays whole.
// lanewise.args x = normal(4, 6, 32), y = empty(32) ; grid = 1
// expect gfx942: layout scf.for 1
gpu.func @greatest(%x: memref<4x6x32xf32>, %y: memref<32xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %low = arith.constant dense<-1.0> : vector<32xf32>
  %a = vector.transfer_read %x[%c0, %c0, %c0], %p {in_bounds = [true, true, true]} : memref<4x6x32xf32>, vector<4x6x32xf32>
  %s = vector.multi_reduction <maximumf>, %a, %low {lowering_config = #iree_gpu.lowering_config<{partial_reduction = [0, 2, 0]}>} [0, 1] : vector<4x6x32xf32> to vector<32xf32>
  vector.transfer_write %s, %y[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  gpu.return
}
// -----
// A matrix and a vector: of each row of a workgroup's 4 products are joined, in the accumulator's type.
// lanewise.args a = integers(-3, 3, 16, 512), b = integers(-3, 3, 512), c = integers(-3, 3, 16) ; grid = 2
// expect gfx942: layout scf.for 2, layout math.fma 1, mma 0
#maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>]
func.func @gemv(%A: memref<16x512xf16>, %B: memref<512xf16>, %C: memref<16xf32>) attributes {
    translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x512xf16>, vector<16x512xf16>
  %b = vector.transfer_read %B[%c0], %p {in_bounds = [true]} : memref<512xf16>, vector<512xf16>
  %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>,
    lowering_config = #iree_gpu.lowering_config<{workgroup = [4, 0], partial_reduction = [0, 128], thread = [0, 2], lane_basis = [[1, 64], [0, 1]]}>}
    %a, %b, %zero : vector<16x512xf16>, vector<512xf16> into vector<16xf32>
  vector.transfer_write %d, %C[%c0] {in_bounds = [true]} : vector<16xf32>, memref<16xf32>
  return
}
// -----
// Of both operands' orders, with bytes that are extended, two summed iterators, and what is there before.
// lanewise.args a = integers(-3, 3, 2, 32, 8), b = integers(-3, 3, 32, 2, 4), c = integers(-3, 3, 4, 8) ; grid = 1
// expect gfx942: layout scf.for 2
#maps = [affine_map<(m, n, j, k) -> (j, k, m)>, affine_map<(m, n, j, k) -> (k, j, n)>, affine_map<(m, n, j, k) -> (n, m)>]
gpu.func @mixed(%A: memref<2x32x8xi8>, %B: memref<32x2x4xi8>, %C: memref<4x8xi32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i8
  %q = arith.constant 0 : i32
  %a = vector.transfer_read %A[%c0, %c0, %c0], %p {in_bounds = [true, true, true]} : memref<2x32x8xi8>, vector<2x32x8xi8>
  %b = vector.transfer_read %B[%c0, %c0, %c0], %p {in_bounds = [true, true, true]} : memref<32x2x4xi8>, vector<32x2x4xi8>
  %c = vector.transfer_read %C[%c0, %c0], %q {in_bounds = [true, true]} : memref<4x8xi32>, vector<4x8xi32>
  %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction", "reduction"], kind = #vector.kind<add>,
    lowering_config = #iree_gpu.lowering_config<{partial_reduction = [0, 0, 1, 16]}>}
    %a, %b, %c : vector<2x32x8xi8>, vector<32x2x4xi8> into vector<4x8xi32>
  vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<4x8xi32>, memref<4x8xi32>
  gpu.return
}
