// An author's own double buffer: what is read is what the iteration before wrote, so no ring takes its place.
// test run target=sm_80
// lanewise.args a = integers(-3, 3, 16, 128), b = integers(-3, 3, 32, 16), c = empty(16,16); grid = 1
// expect sm_80: layout lanewise.async_copy 0
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @f(%A: memref<16x128xf16>, %B: memref<32x16xf16>, %C: memref<16x16xf32>) attributes {
    translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<16x16xf32>
  %z2 = arith.constant dense<0.0> : vector<2x16x32xf16>
  %b = vector.transfer_read %B[%c0, %c0], %pad {in_bounds = [true, true]} : memref<32x16xf16>, vector<32x16xf16>
  %s = memref.alloc() : memref<2x16x32xf16, #gpu.address_space<workgroup>>
  %sum = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %zero) -> (vector<16x16xf32>) {
    %a = vector.transfer_read %A[%c0, %k], %pad {in_bounds = [true, true]} : memref<16x128xf16>, vector<16x32xf16>
    %q = arith.divui %k, %c32 : index
    %slot = arith.remui %q, %c2 : index
    vector.transfer_write %a, %s[%slot, %c0, %c0] {in_bounds = [true, true]} : vector<16x32xf16>, memref<2x16x32xf16, #gpu.address_space<workgroup>>
    %old = arith.subi %c1, %slot : index
    %first = arith.cmpi eq, %k, %c0 : index
    %c16 = arith.constant 16 : index
    %nr = arith.select %first, %c0, %c16 : index
    %mask = vector.create_mask %nr, %c32 : vector<16x32xi1>
    %l = vector.transfer_read %s[%old, %c0, %c0], %pad, %mask {in_bounds = [true, true]} : memref<2x16x32xf16, #gpu.address_space<workgroup>>, vector<16x32xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %l, %b, %acc : vector<16x32xf16>, vector<32x16xf16> into vector<16x16xf32>
    scf.yield %next : vector<16x16xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] : vector<16x16xf32>, memref<16x16xf32>
  return
}
