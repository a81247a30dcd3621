// Of a buffer that is known to have nothing there is no tensor map: threads copy, if there is an iteration.
// test run target=sm_90a
// expect sm_90a: layout nvgpu.tma.async.load 0
// lanewise.args a = integers(-3, 3, 64, 16), b = integers(-3, 3, 0, 64), c = empty(64, 64), n = 0 ; grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @f(%A: memref<64x16xf16>, %B: memref<0x64xf16>, %C: memref<64x64xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<64x64xf32>
  %sum = scf.for %k = %c0 to %n step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %a = vector.transfer_read %A[%c0, %k], %pad : memref<64x16xf16>, vector<64x16xf16>
    %b = vector.transfer_read %B[%k, %c0], %pad : memref<0x64xf16>, vector<16x64xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %acc : vector<64x16xf16>, vector<16x64xf16> into vector<64x64xf32>
    scf.yield %next : vector<64x64xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
