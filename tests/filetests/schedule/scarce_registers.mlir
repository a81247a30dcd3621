// 512 threads share 65536 registers: 128 for each, as many as the accumulators of 256x256 take. wgmma on 64x256 takes 154, so that
// 64x128 does it, two for each of four warpgroups and 16 of K. Were there 128 threads more that copy, those that multiply would
// have (65536 - 128 * 24) / 512 = 122, in units of eight: 120. Nobody copies for them.
// test verify
// expect sm_90a: wgmma 2, thread lanewise.split 0, registers >= 120
// lanewise.args a = integers(-3, 3, 256, 64), b = integers(-3, 3, 64, 256), c = empty(256, 256); grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @large(%a: memref<256x64xf16>, %b: memref<64x256xf16>, %c: memref<256x256xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 512, 1, 1>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 16 : index
  %depth = arith.constant 64 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<256x256xf32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<256x256xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<256x64xf16>, vector<256x16xf16>
    %s = vector.transfer_read %b[%k, %c0], %p {in_bounds = [true, true]} : memref<64x256xf16>, vector<16x256xf16>
    %d = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %l, %s, %sum : vector<256x16xf16>, vector<16x256xf16> into vector<256x256xf32>
    scf.yield %d : vector<256x256xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<256x256xf32>, memref<256x256xf32>
  gpu.return
}
