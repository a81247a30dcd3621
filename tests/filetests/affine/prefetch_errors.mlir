// test verify
func.func @f(%x: memref<4x4xf32>) {
  affine.for %i = 0 to 4 {
    affine.prefetch %x[%i], read, locality<3>, data : memref<4x4xf32> // expected-error {{has a map of 1 results for a memref of rank 2}}
    affine.prefetch %x[%i, %i], read, locality<4>, data : memref<4x4xf32> // expected-error {{locality is from 0 to 3, found 4}}
  }
  return
}
