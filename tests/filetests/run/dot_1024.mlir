// A dot product by 256 threads: four elements a thread, a tree over lanes, one exchange between subgroups.
// test roundtrip
// test run
// 2 * 1024 * 4 / 32 = 256 sectors are read, one is written. 1024 / 256 = 4 products of a thread from at most 8 loads.
// 5 steps over 32 lanes, and 3 over 8 subgroups where lanes do that, too. One barrier between writing and reading partial sums.
// expect sm_90: sectors 257, loads <= 8, fma <= 4, shuffles >= 5, shuffles <= 8, barriers 1, spills 0
// 6 steps over 64 lanes, 2 over 4 subgroups.
// expect gfx942: sectors 257, loads <= 8, fma <= 4, shuffles >= 6, shuffles <= 10, barriers 1, spills 0
// lanewise.args a = integers(-3, 3, 1024), b = integers(-3, 3, 1024), o = empty(1); grid = 1
gpu.func @f(%A: memref<1024xf32>, %B: memref<1024xf32>, %O: memref<1xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %A[%c0], %p {in_bounds = [true]} : memref<1024xf32>, vector<1024xf32>
  %b = vector.transfer_read %B[%c0], %p {in_bounds = [true]} : memref<1024xf32>, vector<1024xf32>
  %r = vector.contract {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>],
    iterator_types = ["reduction"], kind = #vector.kind<add>} %a, %b, %p : vector<1024xf32>, vector<1024xf32> into f32
  memref.store %r, %O[%c0] : memref<1xf32>
  gpu.return
}
