// A product in a loop in a loop has a code object on AMD, too: what ends an iteration there is no assembly text, for which LLVM has no
// assembler. `run` makes the object of what it runs.
// test run target=gfx90a
// test run target=gfx942 B=3
// test run target=gfx950 B=1
// lanewise.args B = 2 : a = integers(-3, 3, B, 32, 64), b = integers(-3, 3, B, 64, 32), c = empty(B, 32, 32) ; grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @f(%A: memref<?x32x64xf16>, %B: memref<?x64x32xf16>, %C: memref<?x32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<32x32xf32>
  %n = memref.dim %A, %c0 : memref<?x32x64xf16>
  scf.for %i = %c0 to %n step %c1 {
    %s = scf.for %k = %c0 to %c64 step %c32 iter_args(%acc = %z) -> (vector<32x32xf32>) {
      %a = vector.transfer_read %A[%i, %c0, %k], %p {in_bounds = [true, true]} : memref<?x32x64xf16>, vector<32x32xf16>
      %b = vector.transfer_read %B[%i, %k, %c0], %p {in_bounds = [true, true]} : memref<?x64x32xf16>, vector<32x32xf16>
      %r = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
        %a, %b, %acc : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
      scf.yield %r : vector<32x32xf32>
    }
    vector.transfer_write %s, %C[%i, %c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<?x32x32xf32>
  }
  gpu.return
}
