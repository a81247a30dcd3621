// The chip copies boxes by itself from places of whole 16 bytes along a row alone: from others it ends the kernel. Of a tile that
// begins elsewhere threads copy each its part.
// test run target=sm_90a
// Eight halves are 16 bytes: two tiles for both iterations, before the loop.
// expect sm_90a: thread nvgpu.tma.async.load 4
// lanewise.args a = integers(-3, 3, 64, 96), b = integers(-3, 3, 64, 64), c = empty(64, 64) ; grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @shifted(%A: memref<64x96xf16>, %B: memref<64x64xf16>, %C: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %shift = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<64x64xf32>
  %sum = scf.for %k = %c0 to %c64 step %c32 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %column = arith.addi %k, %shift : index
    %a = vector.transfer_read %A[%c0, %column], %pad {in_bounds = [true, true]} : memref<64x96xf16>, vector<64x32xf16>
    %b = vector.transfer_read %B[%k, %c0], %pad {in_bounds = [true, true]} : memref<64x64xf16>, vector<32x64xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %acc : vector<64x32xf16>, vector<32x64xf16> into vector<64x64xf32>
    scf.yield %next : vector<64x64xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// Four are not, and none of the tiles of A is a box.
// expect sm_90a: thread nvgpu.tma.async.load 2
// lanewise.args a = integers(-3, 3, 64, 96), b = integers(-3, 3, 64, 64), c = empty(64, 64) ; grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @shifted(%A: memref<64x96xf16>, %B: memref<64x64xf16>, %C: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %shift = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<64x64xf32>
  %sum = scf.for %k = %c0 to %c64 step %c32 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %column = arith.addi %k, %shift : index
    %a = vector.transfer_read %A[%c0, %column], %pad {in_bounds = [true, true]} : memref<64x96xf16>, vector<64x32xf16>
    %b = vector.transfer_read %B[%k, %c0], %pad {in_bounds = [true, true]} : memref<64x64xf16>, vector<32x64xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %acc : vector<64x32xf16>, vector<32x64xf16> into vector<64x64xf32>
    scf.yield %next : vector<64x64xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
