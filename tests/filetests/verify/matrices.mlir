// test verify
func.func @f(%m: memref<32x64xf16>, %s: memref<4x4xf32, strided<[8, 2]>>, %c: memref<16x16xf32>, %u: memref<4x4xui8>, %i: index, %x: f16) {
  // expected-error@+1 {{needs 2 indices for memref<32x64xf16>, found 1}}
  %0 = gpu.subgroup_mma_load_matrix %m[%i] leadDimension 64 : memref<32x64xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
  // expected-error@+1 {{the last dimension of memref<4x4xf32, strided<[8, 2]>> must be contiguous}}
  %1 = gpu.subgroup_mma_load_matrix %s[%i, %i] leadDimension 8 : memref<4x4xf32, strided<[8, 2]>> -> !gpu.mma_matrix<4x4xf32, "COp">
  // expected-error@+1 {{elements in memory are i8, i32, f16, f32, f64, found memref<4x4xui8>}}
  %9 = gpu.subgroup_mma_load_matrix %u[%i, %i] leadDimension 4 : memref<4x4xui8> -> !gpu.mma_matrix<4x4xui8, "AOp">
  // expected-error@+1 {{leadDimension must be a positive number of type index, found 0 : index}}
  %a = gpu.subgroup_mma_load_matrix %m[%i, %i] leadDimension 0 : memref<32x64xf16> -> !gpu.mma_matrix<16x8xf16, "AOp">
  // expected-error@+1 {{requires attribute 'leadDimension'}}
  %n = gpu.subgroup_mma_load_matrix %m[%i, %i] : memref<32x64xf16> -> !gpu.mma_matrix<16x16xf16, "BOp">
  %b = gpu.subgroup_mma_load_matrix %m[%i, %i] leadDimension 64 : memref<32x64xf16> -> !gpu.mma_matrix<16x16xf16, "BOp">
  %d = gpu.subgroup_mma_load_matrix %c[%i, %i] leadDimension 16 : memref<16x16xf32> -> !gpu.mma_matrix<16x16xf32, "COp">
  // expected-error@+1 {{shapes do not multiply: !gpu.mma_matrix<16x8xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">}}
  %2 = gpu.subgroup_mma_compute %a, %b, %d : !gpu.mma_matrix<16x8xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
  // expected-error@+1 {{takes "AOp", "BOp" and "COp", found "BOp", "BOp" and "COp"}}
  %3 = gpu.subgroup_mma_compute %b, %b, %d : !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
  %e = gpu.subgroup_mma_load_matrix %m[%i, %i] leadDimension 64 : memref<32x64xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
  // expected-error@+1 {{has a_transpose, but its operand was loaded without transpose}}
  %4 = gpu.subgroup_mma_compute %e, %b, %d a_transpose : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
  // expected-error@+1 {{result is !gpu.mma_matrix<16x16xf16, "COp">, what is added to is !gpu.mma_matrix<16x16xf32, "COp">}}
  %5 = gpu.subgroup_mma_compute %e, %b, %d : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf16, "COp">
  %6 = gpu.subgroup_mma_constant_matrix %x : !gpu.mma_matrix<16x16xf32, "COp"> // expected-error {{takes a f32 for !gpu.mma_matrix<16x16xf32, "COp">, found f16}}
  // expected-error@+1 {{addf takes 2 operands, found 1}}
  %7 = gpu.subgroup_mma_elementwise addf %d : (!gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
  // expected-error@+1 {{shapes differ: !gpu.mma_matrix<16x8xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "AOp">}}
  %8 = gpu.subgroup_mma_elementwise negatef %a : (!gpu.mma_matrix<16x8xf16, "AOp">) -> !gpu.mma_matrix<16x16xf16, "AOp">
  // expected-error@+1 {{does addi of elements f32, f32 to f32}}
  %10 = gpu.subgroup_mma_elementwise addi %d, %d : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
  // expected-error@+1 {{does extf of elements f32 to f32}}
  %11 = gpu.subgroup_mma_elementwise extf %d : (!gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
  // expected-error@+1 {{does mulf of elements f16, f16 to f32}}
  %12 = gpu.subgroup_mma_elementwise mulf %e, %e : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "AOp">) -> !gpu.mma_matrix<16x16xf32, "AOp">
  // expected-error@+1 {{stores a "COp" alone, found !gpu.mma_matrix<16x8xf16, "AOp">}}
  gpu.subgroup_mma_store_matrix %a, %m[%i, %i] leadDimension 64 : !gpu.mma_matrix<16x8xf16, "AOp">, memref<32x64xf16>
  return
}
// -----
func.func @f(%m: !gpu.mma_matrix<16xf16, "AOp">) { return } // expected-error {{a matrix has two dimensions, found 1}}
// -----
func.func @f(%m: !gpu.mma_matrix<16x16xf16, "DOp">) { return } // expected-error {{expected "AOp", "BOp" or "COp", found "DOp"}}
// -----
func.func @f(%m: !gpu.mma_matrix<16x16xbf16, "AOp">) { return } // expected-error {{elements of a matrix are si8, ui8, i32, f16, f32, f64, found bf16}}
