// What threads do of an operation is refused in the name that the program has for it: a byte of workgroup memory has two
// i4, and its threads' programs write them by memref.store.
// test compile target=sm_90
gpu.func @transfer(%n: index) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %m = memref.alloc() : memref<64xi4, #gpu.address_space<workgroup>>
  %v = arith.constant dense<1> : vector<64xi4>
  %mask = vector.create_mask %n : vector<64xi1>
  // expected-error@+1 {{'vector.transfer_write' op writes one element of several in a byte of workgroup memory}}
  vector.transfer_write %v, %m[%c0], %mask {in_bounds = [true]} : vector<64xi4>, memref<64xi4, #gpu.address_space<workgroup>>
  gpu.return
}

// -----

gpu.func @masked(%n: index) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %m = memref.alloc() : memref<64xi4, #gpu.address_space<workgroup>>
  %v = arith.constant dense<1> : vector<64xi4>
  %mask = vector.create_mask %n : vector<64xi1>
  // expected-error@+1 {{'vector.maskedstore' op writes one element of several in a byte of workgroup memory}}
  vector.maskedstore %m[%c0], %mask, %v : memref<64xi4, #gpu.address_space<workgroup>>, vector<64xi1>, vector<64xi4>
  gpu.return
}

// -----

gpu.func @affine() kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %m = memref.alloc() : memref<64xi4, #gpu.address_space<workgroup>>
  %v = arith.constant 1 : i4
  // expected-error@+1 {{'affine.store' op writes one element of several in a byte of workgroup memory}}
  affine.store %v, %m[3] : memref<64xi4, #gpu.address_space<workgroup>>
  gpu.return
}

// -----

// What is in a mask's region is named, not the mask.
gpu.func @under_a_mask(%n: index) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %m = memref.alloc() : memref<64xi4, #gpu.address_space<workgroup>>
  %v = arith.constant dense<1> : vector<64xi4>
  %mask = vector.create_mask %n : vector<64xi1>
  // expected-error@+1 {{'vector.transfer_write' op writes one element of several in a byte of workgroup memory}}
  vector.mask %mask { vector.transfer_write %v, %m[%c0] {in_bounds = [true]} : vector<64xi4>, memref<64xi4, #gpu.address_space<workgroup>> } : vector<64xi1>
  gpu.return
}
