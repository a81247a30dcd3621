// Memrefs of vectors are read and have a meaning; what is compiled is of single elements.
// test compile
// expected-error@+1 {{argument 'x': a kernel cannot be passed a memref<16xvector<4xf32>>; pass a memref of single elements}}
gpu.func @k(%x: memref<16xvector<4xf32>>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  gpu.return
}
// -----
gpu.func @k(%y: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{makes a memref<16xvector<4xf32>, #gpu.address_space<workgroup>>; lanewise compiles memrefs of single elements}}
  %x = memref.alloc() : memref<16xvector<4xf32>, #gpu.address_space<workgroup>>
  %v = vector.load %x[%c0] : memref<16xvector<4xf32>, #gpu.address_space<workgroup>>, vector<4xf32>
  vector.store %v, %y[%c0] : memref<64xf32>, vector<4xf32>
  gpu.return
}
