// A transfer whose permutation map transposes: the layout follows the memory, not the vector.
// test roundtrip
// test run
// 64 * 64 * 4 / 32 = 512 sectors read and 512 written; 64 * 64 / 128 / 4 = 8 accesses of 16 bytes each way.
// expect sm_90: sectors 1024, loads 8, stores 8, conversions 0, shuffles 0, barriers 0
// expect gfx942: sectors 1024, loads 8, stores 8, conversions 0, shuffles 0, barriers 0
// lanewise.args x = index(64, 64), o = empty(64, 64); grid = 1
gpu.func @f(%X: memref<64x64xf32>, %O: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %x = vector.transfer_read %X[%c0, %c0], %p {in_bounds = [true, true], permutation_map = affine_map<(a, b) -> (b, a)>}
    : memref<64x64xf32>, vector<64x64xf32>
  %y = arith.addf %x, %x : vector<64x64xf32>
  vector.transfer_write %y, %O[%c0, %c0] {in_bounds = [true, true], permutation_map = affine_map<(a, b) -> (b, a)>}
    : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
