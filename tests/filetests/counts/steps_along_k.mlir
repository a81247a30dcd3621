// Products without a matrix instruction: all results take a step along K before the next (decision 0106). Result by result, 64
// threads held all operands of a step's rows and columns: ptxas spilled 42 KB for f32 and 256 bytes for i16 on sm_80.
// expect sm_80: mma 0, spills 0
// expect gfx942: mma >= 1, spills 0
gpu.func @product(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %r = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %l, %r, %z : vector<64x64xf32>, vector<64x64xf32> into vector<64x64xf32>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// expect sm_80: mma 0, spills 0
// expect gfx1030: mma 0, spills 0
// expect gfx942: mma 0, spills 0
gpu.func @product(%a: memref<64x32xi16>, %b: memref<32x64xi16>, %c: memref<64x64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i16
  %z = arith.constant dense<0> : vector<64x64xi32>
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x32xi16>, vector<64x32xi16>
  %r = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x64xi16>, vector<32x64xi16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %l, %r, %z : vector<64x32xi16>, vector<32x64xi16> into vector<64x64xi32>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xi32>, memref<64x64xi32>
  gpu.return
}
