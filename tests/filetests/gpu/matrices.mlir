// Matrices that a subgroup holds together: loaded, multiplied, changed element by element, stored; each subgroup has its own.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// lanewise.args a = integers(-3, 3, 32, 64), b = integers(-3, 3, 16, 32), c = integers(-3, 3, 32, 48), d = empty(32, 16)
// Subgroup s: rows 16 s on of A, its columns 16 on; B transposed; d = 2 (A B + C) - 1. 16x16x16 in pieces of 16x8x16: 2 a subgroup. A single subgroup of 64 leaves the second half alone.
// expect sm_80: executed mma 4
// expect sm_90: executed mma 4
gpu.func @products(%A: memref<32x64xf16>, %B: memref<16x32xf16>, %C: memref<32x48xf32>, %D: memref<32x16xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "subgroup"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %s = gpu.subgroup_id : index
  %row = arith.muli %s, %c16 : index
  %a = gpu.subgroup_mma_load_matrix %A[%row, %c16] leadDimension 64 : memref<32x64xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
  %b = gpu.subgroup_mma_load_matrix %B[%c0, %c16] leadDimension 32 transpose : memref<16x32xf16> -> !gpu.mma_matrix<16x16xf16, "BOp">
  %c = gpu.subgroup_mma_load_matrix %C[%row, %c0] leadDimension 48 : memref<32x48xf32> -> !gpu.mma_matrix<16x16xf32, "COp">
  %p = gpu.subgroup_mma_compute %a, %b, %c b_transpose : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
  %one = arith.constant 1.0 : f32
  %ones = gpu.subgroup_mma_constant_matrix %one : !gpu.mma_matrix<16x16xf32, "COp">
  %q = gpu.subgroup_mma_elementwise addf %p, %p : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
  %r = gpu.subgroup_mma_elementwise subf %q, %ones : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
  gpu.subgroup_mma_store_matrix %r, %D[%row, %c0] leadDimension 16 : !gpu.mma_matrix<16x16xf32, "COp">, memref<32x16xf32>
  gpu.return
}
// -----
// In a loop, through workgroup memory, stored transposed; of a workgroup of one subgroup.
// lanewise.args a = integers(-3, 3, 16, 32), b = integers(-3, 3, 32, 16), d = empty(16, 16)
gpu.func @loop(%A: memref<16x32xf16>, %B: memref<32x16xf16>, %D: memref<16x16xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %near = memref.alloc() : memref<16x16xf16, #gpu.address_space<workgroup>>
  %zero = arith.constant 0.0 : f32
  %z = gpu.subgroup_mma_constant_matrix %zero : !gpu.mma_matrix<16x16xf32, "COp">
  %p = scf.for %k = %c0 to %c32 step %c16 iter_args(%acc = %z) -> (!gpu.mma_matrix<16x16xf32, "COp">) {
    %pad = arith.constant 0.0 : f16
    %t = vector.transfer_read %B[%k, %c0], %pad {in_bounds = [true, true]} : memref<32x16xf16>, vector<16x16xf16>
    vector.transfer_write %t, %near[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf16>, memref<16x16xf16, #gpu.address_space<workgroup>>
    %a = gpu.subgroup_mma_load_matrix %A[%c0, %k] leadDimension 32 : memref<16x32xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
    %b = gpu.subgroup_mma_load_matrix %near[%c0, %c0] leadDimension 16 : memref<16x16xf16, #gpu.address_space<workgroup>> -> !gpu.mma_matrix<16x16xf16, "BOp">
    %q = gpu.subgroup_mma_compute %a, %b, %acc : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
    scf.yield %q : !gpu.mma_matrix<16x16xf32, "COp">
  }
  %n = gpu.subgroup_mma_elementwise negatef %p : (!gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
  gpu.subgroup_mma_store_matrix %n, %D[%c0, %c0] leadDimension 16 transpose : !gpu.mma_matrix<16x16xf32, "COp">, memref<16x16xf32>
  gpu.return
}
// -----
// Bytes: A unsigned, B signed. Of 200, which is -56 with a sign, and -100 the product is -20000, summed 32 times.
// lanewise.args a = full(16, 32, value=-56), b = full(32, 16, value=-100), d = zeros(16, 16)
gpu.func @bytes(%A: memref<16x32xi8>, %B: memref<32x16xi8>, %D: memref<16x16xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %a = gpu.subgroup_mma_load_matrix %A[%c0, %c0] leadDimension 32 : memref<16x32xi8> -> !gpu.mma_matrix<16x32xui8, "AOp">
  %b = gpu.subgroup_mma_load_matrix %B[%c0, %c0] leadDimension 16 : memref<32x16xi8> -> !gpu.mma_matrix<32x16xsi8, "BOp">
  %zero = arith.constant 0 : i32
  %z = gpu.subgroup_mma_constant_matrix %zero : !gpu.mma_matrix<16x16xi32, "COp">
  %p = gpu.subgroup_mma_compute %a, %b, %z : !gpu.mma_matrix<16x32xui8, "AOp">, !gpu.mma_matrix<32x16xsi8, "BOp"> -> !gpu.mma_matrix<16x16xi32, "COp">
  gpu.subgroup_mma_store_matrix %p, %D[%c0, %c0] leadDimension 16 : !gpu.mma_matrix<16x16xi32, "COp">, memref<16x16xi32>
  gpu.return
}
