// Copies that are started and waited for: elements in a row, across the ends of rows.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// Others read near than wrote it, and write y where zeros were: a barrier before each of those, and one before near is
// written again; the lanes of one wave go on together. 64 floats; nobody looks at the tags, which are no memory then.
// expect sm_90: barriers 3, shared bytes 256
// expect gfx942: barriers 0, shared bytes 256
// lanewise.args x = index(6, 16), y = empty(80), n = 50
// 40 elements from x[1, 8] = 24 on through workgroup memory to y[3..43), reversed in neither; then n elements from x[0, 5] on.
gpu.func @dma(%x: memref<6x16xf32>, %y: memref<80xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant dense<0.0> : vector<80xf32>
  vector.store %zero, %y[%c0] : memref<80xf32>, vector<80xf32>
  %near = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
  %tag = memref.alloc() : memref<2xi32, #gpu.address_space<workgroup>>
  memref.dma_start %x[%c1, %c8], %near[%c0], %c40, %tag[%c1] : memref<6x16xf32>, memref<64xf32, #gpu.address_space<workgroup>>, memref<2xi32, #gpu.address_space<workgroup>>
  memref.dma_wait %tag[%c1], %c40 : memref<2xi32, #gpu.address_space<workgroup>>
  memref.dma_start %near[%c0], %y[%c3], %c40, %tag[%c0] : memref<64xf32, #gpu.address_space<workgroup>>, memref<80xf32>, memref<2xi32, #gpu.address_space<workgroup>>
  memref.dma_wait %tag[%c0], %c40 : memref<2xi32, #gpu.address_space<workgroup>>
  memref.dma_start %x[%c0, %c5], %near[%c0], %n, %tag[%c0] : memref<6x16xf32>, memref<64xf32, #gpu.address_space<workgroup>>, memref<2xi32, #gpu.address_space<workgroup>>
  memref.dma_wait %tag[%c0], %n : memref<2xi32, #gpu.address_space<workgroup>>
  %last = vector.load %near[%c40] : memref<64xf32, #gpu.address_space<workgroup>>, vector<8xf32>
  %c72 = arith.constant 72 : index
  vector.store %last, %y[%c72] : memref<80xf32>, vector<8xf32>
  gpu.return
}
// -----
// Rows in another order, at affine places.
// Nothing goes through workgroup memory. Eight copies of 64 bytes are two sectors each way.
// expect sm_90: loads 2, stores 2, shared loads 0, barriers 0, sectors 32
// expect gfx942: loads 2, stores 2, shared loads 0, barriers 0, sectors 32
// lanewise.args x = index(4, 32), y = empty(4, 32)
gpu.func @affine(%x: memref<4x32xf32>, %y: memref<4x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c16 = arith.constant 16 : index
  %tag = memref.alloc() : memref<4xi32, #gpu.address_space<workgroup>>
  affine.for %i = 0 to 4 {
    affine.dma_start %x[%i, 16], %y[3 - %i, 0], %tag[%i], %c16 : memref<4x32xf32>, memref<4x32xf32>, memref<4xi32, #gpu.address_space<workgroup>>
    affine.dma_start %x[%i, 0], %y[3 - %i, 16], %tag[%i], %c16 : memref<4x32xf32>, memref<4x32xf32>, memref<4xi32, #gpu.address_space<workgroup>>
    affine.dma_wait %tag[%i], %c16 : memref<4xi32, #gpu.address_space<workgroup>>
  }
  gpu.return
}
