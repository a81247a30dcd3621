// CDNA has signed bytes alone: those of either sign are multiplied by lanes.
// test run target=gfx942
// expect gfx942: mma 0
// lanewise.args a = integers(-128, 127, 8, 16), b = integers(-128, 127, 16, 8), c = empty(8, 8); grid = 1
gpu.func @f(%A: memref<8x16xi8>, %B: memref<16x8xi8>, %C: memref<8x8xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i8
  %z = arith.constant dense<0> : vector<8x8xi32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x16xi8>, vector<8x16xi8>
  %b = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x8xi8>, vector<16x8xi8>
  %ae = arith.extui %a : vector<8x16xi8> to vector<8x16xi32>
  %be = arith.extsi %b : vector<16x8xi8> to vector<16x8xi32>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %ae, %be, %z : vector<8x16xi32>, vector<16x8xi32> into vector<8x8xi32>
  vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<8x8xi32>, memref<8x8xi32>
  gpu.return
}
