// A 4x512 tile times a vector, 128 threads: the reduction is spread over lanes.
// test roundtrip
// test run
// test run target=gfx942
// test run target=gfx1100
// 4 * 512 * 2 / 32 = 128 sectors of the matrix, 512 * 2 / 32 = 32 of the vector for each of 4 subgroups at most, up to 4 for
// the result. 16 products of a thread from 2 + 2 wide accesses or 4 + 1 narrow ones; 5 steps over lanes for each of 4 rows at most.
// expect sm_90: sectors <= 260, loads <= 5, fma <= 16, shuffles >= 5, shuffles <= 20, barriers <= 1, instructions <= 300, spills 0
// 6 steps over 64 lanes, by 2 subgroups.
// expect gfx942: sectors <= 260, loads <= 5, fma <= 16, shuffles >= 6, shuffles <= 28, barriers <= 1, instructions <= 300, spills 0
// expect gfx1100: sectors <= 260, loads <= 5, fma <= 16, shuffles >= 5, shuffles <= 28, barriers <= 1, instructions <= 300, spills 0
// lanewise.args a = integers(-3, 3, 4, 512), x = integers(-3, 3, 512), y = empty(4); grid = 1
gpu.func @f(%A: memref<4x512xf16>, %X: memref<512xf16>, %Y: memref<4xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<4xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<4x512xf16>, vector<4x512xf16>
  %x = vector.transfer_read %X[%c0], %p {in_bounds = [true]} : memref<512xf16>, vector<512xf16>
  %r = vector.contract {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>],
    iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>} %a, %x, %z : vector<4x512xf16>, vector<512xf16> into vector<4xf32>
  vector.transfer_write %r, %Y[%c0] {in_bounds = [true]} : vector<4xf32>, memref<4xf32>
  gpu.return
}
