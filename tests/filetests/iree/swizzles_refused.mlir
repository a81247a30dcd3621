// Orders that are no permutation of a buffer, and orders of what has none.
// test compile
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %a = memref.alloc() {iree_codegen.swizzle = #iree_codegen.xor_shuffle<64, 4>} : memref<96xf32, #gpu.address_space<workgroup>> // expected-error {{has 96 elements, no whole number of rows of 64}}
  %b = memref.alloc() {iree_codegen.swizzle = #iree_codegen.xor_shuffle<96, 8>} : memref<96xf32, #gpu.address_space<workgroup>> // expected-error {{has 12 accesses in a row}}
  %d = memref.alloc() {lanewise.box = 24} : memref<4x64xf32, #gpu.address_space<workgroup>> // expected-error {{'lanewise.box' must be a number that divides the 64 elements of a row, found 24}}
  %e = memref.alloc() {iree_codegen.swizzle = 7} : memref<4x64xf32, #gpu.address_space<workgroup>> // expected-error {{must be #iree_codegen.rotate_rows or #iree_codegen.xor_shuffle or #lanewise.xor_shuffle, found 7}}
  %f = memref.alloc() {lanewise.box = 8} : memref<4x64xi4, #gpu.address_space<workgroup>> // expected-error {{is of static buffers of whole bytes, found memref<4x64xi4}}
  %g = memref.cast %x {lanewise.box = 8} : memref<64xf32> to memref<?xf32> // expected-error {{is read of allocations of workgroup memory alone}}
  gpu.return
}
// -----
gpu.func @bytes(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = memref.alloc() {iree_codegen.swizzle = #iree_codegen.xor_shuffle<64, 16>} : memref<256xi8, #gpu.address_space<workgroup>>
  %v = memref.view %a[%c0][] : memref<256xi8, #gpu.address_space<workgroup>> to memref<64xf32, #gpu.address_space<workgroup>> // expected-error {{views bytes of a buffer whose elements lie in an order of their own}}
  %r = vector.transfer_read %v[%c0], %p {in_bounds = [true]} : memref<64xf32, #gpu.address_space<workgroup>>, vector<64xf32>
  vector.transfer_write %r, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
// expected-error@+1 {{the distance of rows, 96, is no multiple of a row, 64}}
module attributes {x = #iree_codegen.xor_shuffle<64, 8, 96>} {}
// -----
// expected-error@+1 {{4 rows are mixed alike, at most 2 may be, the accesses of a row}}
module attributes {x = #iree_codegen.xor_shuffle<16, 8, 16, 4>, y = #lanewise.xor_shuffle<16, 8, 16, 4>} {}
