// Subgroups of their own copy for a loop that may have no iteration, or an end that its tiles reach over.
// test run target=sm_90a
// test run target=sm_90a K=8
// test run target=sm_90a K=136
// lanewise.args K = 0 : a = integers(-3, 3, 64, K), b = integers(-3, 3, 72, K), c = empty(64, 64); grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @edges(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.specialise = true} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %step = arith.constant 64 : index
  %depth = memref.dim %a, %c1 : memref<?x?xf16>
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<64x64xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %p : memref<?x?xf16>, vector<64x64xf16>
    %s = vector.transfer_read %b[%c0, %k], %p : memref<?x?xf16>, vector<64x64xf16>
    %d = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %l, %s, %sum : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
    scf.yield %d : vector<64x64xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
