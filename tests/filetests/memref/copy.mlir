// All threads share the copy of a tile into the workgroup's memory, and read it back transposed: barriers are inferred.
// test roundtrip
// test run
// test run target=gfx942
// test run target=gfx1100
// test run target=sm_80
// lanewise.args x = index(32, 48), y = empty(48, 32)
// expect sm_90: barriers 1
gpu.func @tile(%x: memref<32x48xf32>, %y: memref<48x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %tile = memref.alloc() : memref<32x48xf32, #gpu.address_space<workgroup>>
  memref.copy %x, %tile : memref<32x48xf32> to memref<32x48xf32, #gpu.address_space<workgroup>>
  %t = memref.transpose %tile (i, j) -> (j, i)
      : memref<32x48xf32, #gpu.address_space<workgroup>> to memref<48x32xf32, strided<[1, 48]>, #gpu.address_space<workgroup>>
  memref.copy %t, %y : memref<48x32xf32, strided<[1, 48]>, #gpu.address_space<workgroup>> to memref<48x32xf32>
  gpu.return
}

// -----

// Extents that only the launch knows, and that no tile divides.
// lanewise.args M = 5, N = 300: x = integers(-8, 8, M, N), y = empty(M, N)
gpu.func @dynamic(%x: memref<?x?xi16>, %y: memref<?x?xi16>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  memref.copy %x, %y : memref<?x?xi16> to memref<?x?xi16>
  gpu.return
}

// -----

// No dimensions, and a thread's own program.
// lanewise.args x = index(1), y = empty(1), u = index(64, 3), v = empty(64, 3)
gpu.func @each(%x: memref<1xf32>, %y: memref<1xf32>, %u: memref<64x3xf32>, %v: memref<64x3xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %first = arith.cmpi eq, %id, %c0 : index
  scf.if %first {
    %from = memref.subview %x[0] [1] [1] : memref<1xf32> to memref<f32, strided<[]>>
    %one = memref.subview %y[0] [1] [1] : memref<1xf32> to memref<f32, strided<[]>>
    memref.copy %from, %one : memref<f32, strided<[]>> to memref<f32, strided<[]>>
  }
  %row = memref.subview %u[%id, 0] [1, 3] [1, 1] : memref<64x3xf32> to memref<3xf32, strided<[1], offset: ?>>
  %to = memref.subview %v[%id, 0] [1, 3] [1, 1] : memref<64x3xf32> to memref<3xf32, strided<[1], offset: ?>>
  memref.copy %row, %to : memref<3xf32, strided<[1], offset: ?>> to memref<3xf32, strided<[1], offset: ?>>
  gpu.return
}
