// Data that is not used again: whole accesses, guarded ones, elements, and memory of the workgroup, where it says nothing.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// lanewise.args x = index(256), y = empty(256), z = index(64), h = index(256), g = empty(256), n = 77
gpu.func @streamed(%x: memref<256xf32>, %y: memref<256xf32>, %z: memref<64xi32>, %h: memref<256xf16>, %g: memref<256xf16>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %v = vector.load %x[%c0] nontemporal = true : memref<256xf32>, vector<256xf32>
  %other = arith.constant dense<-1.0> : vector<256xf32>
  %m = vector.create_mask %n : vector<256xi1>
  %w = vector.maskedload %x[%c0], %m, %other {nontemporal = true} : memref<256xf32>, vector<256xi1>, vector<256xf32> into vector<256xf32>
  %s = arith.addf %v, %w : vector<256xf32>
  %b = memref.alloc() : memref<256xf32, #gpu.address_space<workgroup>>
  vector.store %s, %b[%c0] nontemporal = true : memref<256xf32, #gpu.address_space<workgroup>>, vector<256xf32>
  %t = vector.load %b[%c0] : memref<256xf32, #gpu.address_space<workgroup>>, vector<256xf32>
  vector.store %t, %y[%c0] nontemporal = true : memref<256xf32>, vector<256xf32>
  %e = memref.load %z[%c3] nontemporal(true) : memref<64xi32>
  memref.store %e, %z[%c0] nontemporal(true) : memref<64xi32>
  %f = vector.load %h[%c0] nontemporal = true : memref<256xf16>, vector<256xf16>
  vector.maskedstore %g[%c0], %m, %f {nontemporal = true} : memref<256xf16>, vector<256xi1>, vector<256xf16>
  gpu.return
}
