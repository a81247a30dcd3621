// test verify
func.func @f(%a: memref<4x4xf32>, %b: memref<16xi32>, %t: memref<1xi32>, %i: index, %f: f32) {
  // expected-error@+1 {{element types differ: memref<4x4xf32> and memref<16xi32>}}
  memref.dma_start %a[%i, %i], %b[%i], %i, %t[%i] : memref<4x4xf32>, memref<16xi32>, memref<1xi32>
  // expected-error@+1 {{has a stride and elements for each of it, or neither; found 1 numbers}}
  memref.dma_start %b[%i], %b[%i], %i, %t[%i], %i : memref<16xi32>, memref<16xi32>, memref<1xi32>
  // expected-error@+1 {{operand 'target' must be a memref, found f32}}
  "memref.dma_start"(%b, %i, %f, %i, %t, %i) : (memref<16xi32>, index, f32, index, memref<1xi32>, index) -> ()
  "memref.dma_wait"(%t) : (memref<1xi32>) -> () // expected-error {{expects 2 or more operands, found 1}}
  affine.for %k = 0 to 4 {
    // expected-error@+1 {{has a map of 1 results for a memref of rank 2}}
    affine.dma_start %a[%k], %a[%k, 0], %t[0], %i : memref<4x4xf32>, memref<4x4xf32>, memref<1xi32>
    affine.dma_wait %t[0, 0], %i : memref<1xi32> // expected-error {{has a map of 2 results for a memref of rank 1}}
  }
  return
}
// -----
func.func @f(%t: memref<1xi32>, %i: index) {
  memref.dma_wait %t[%i], %i : memref<2xi32> // expected-error {{operand '%t' has type memref<1xi32>, but memref<2xi32> is written here}}
  return
}
