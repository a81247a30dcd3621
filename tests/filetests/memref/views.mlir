// The same memory under other extents, strides and orders of dimensions.
// test roundtrip
// test run
// test run target=gfx942
// test run target=gfx1100
// test run target=sm_80
// Views move nothing: each element is read and written once, 2 * 8 * 16 * 4 / 32 sectors.
// expect sm_90: loads 1, stores 1, sectors 32, instructions <= 30
// expect gfx942: loads 1, stores 1, sectors 32, instructions <= 30
// lanewise.args x = index(8, 16), y = empty(2, 4, 16), n = 16
gpu.func @expanded(%x: memref<8x16xf32>, %y: memref<2x4x16xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %cast = memref.cast %x : memref<8x16xf32> to memref<8x?xf32>
  %tall = memref.expand_shape %cast [[0, 1], [2]] output_shape [2, 4, %n] : memref<8x?xf32> into memref<2x4x?xf32>
  %v = vector.transfer_read %tall[%c0, %c0, %c0], %p : memref<2x4x?xf32>, vector<2x4x16xf32>
  %flat = memref.collapse_shape %y [[0, 1], [2]] : memref<2x4x16xf32> into memref<8x16xf32>
  %w = vector.shape_cast %v : vector<2x4x16xf32> to vector<8x16xf32>
  vector.transfer_write %w, %flat[%c0, %c0] : vector<8x16xf32>, memref<8x16xf32>
  gpu.return
}

// -----

// Every other row, from the second on, its dimensions exchanged; strides and offset of the source are not static.
// lanewise.args x = index(9, 16), y = empty(16, 4), first = 1
gpu.func @transposed(%x: memref<9x16xf32>, %y: memref<16x4xf32>, %first: index) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %rows = memref.subview %x[%first, 0] [4, 16] [2, 1] : memref<9x16xf32> to memref<4x16xf32, strided<[32, 1], offset: ?>>
  %t = memref.transpose %rows (i, j) -> (j, i) : memref<4x16xf32, strided<[32, 1], offset: ?>> to memref<16x4xf32, strided<[1, 32], offset: ?>>
  %v = vector.transfer_read %t[%c0, %c0], %p : memref<16x4xf32, strided<[1, 32], offset: ?>>, vector<16x4xf32>
  vector.transfer_write %v, %y[%c0, %c0] : vector<16x4xf32>, memref<16x4xf32>
  gpu.return
}

// -----

// The offset counts from where the buffer starts, whatever the source's own is; the diagonal has stride 17.
// lanewise.args x = index(16, 16), y = empty(16), z = empty(6), k = 3
gpu.func @diagonal(%x: memref<16x16xf32>, %y: memref<16xf32>, %z: memref<6xindex>, %k: index) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c17 = arith.constant 17 : index
  %p = arith.constant 0.0 : f32
  %box = memref.subview %x[%k, %k] [2, 3] [1, 1] : memref<16x16xf32> to memref<2x3xf32, strided<[16, 1], offset: ?>>
  %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %box
      : memref<2x3xf32, strided<[16, 1], offset: ?>> -> memref<f32>, index, index, index, index, index
  %d = memref.reinterpret_cast %base to offset: [0], sizes: [16], strides: [%c17] : memref<f32> to memref<16xf32, strided<[?]>>
  %v = vector.transfer_read %d[%c0], %p : memref<16xf32, strided<[?]>>, vector<16xf32>
  vector.transfer_write %v, %y[%c0] : vector<16xf32>, memref<16xf32>
  %rank = memref.rank %box : memref<2x3xf32, strided<[16, 1], offset: ?>>
  memref.store %offset, %z[%c0] : memref<6xindex>
  memref.store %sizes#0, %z[%c1] : memref<6xindex>
  memref.store %sizes#1, %z[%c2] : memref<6xindex>
  memref.store %strides#0, %z[%c3] : memref<6xindex>
  memref.store %strides#1, %z[%c4] : memref<6xindex>
  memref.store %rank, %z[%c5] : memref<6xindex>
  gpu.return
}

// -----

// Extents that memory holds. One thread writes them and all read them, which no barrier parts in one wave. Two elements a
// thread.
// expect sm_90: barriers 1, shared bytes 8, loads 2, stores 2, conversions 0
// expect gfx942: barriers 0, shared bytes 8, loads 2, stores 2, conversions 0
// lanewise.args x = index(6, 8), s = full(2, value=8), y = empty(64)
gpu.func @reshaped(%x: memref<6x8xf32>, %s: memref<2xi32>, %y: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %p = arith.constant -1.0 : f32
  %part = memref.subview %x[0, 0] [6, 8] [1, 1] : memref<6x8xf32> to memref<6x8xf32, strided<[8, 1]>>
  %plain = memref.cast %part : memref<6x8xf32, strided<[8, 1]>> to memref<6x8xf32>
  %one = memref.alloc() : memref<2xi32, #gpu.address_space<workgroup>>
  %c6 = arith.constant 6 : i32
  %c8 = arith.constant 8 : i32
  %i1 = arith.constant 1 : index
  memref.store %c8, %one[%c0] : memref<2xi32, #gpu.address_space<workgroup>>
  memref.store %c6, %one[%i1] : memref<2xi32, #gpu.address_space<workgroup>>
  %r = memref.reshape %plain(%one) : (memref<6x8xf32>, memref<2xi32, #gpu.address_space<workgroup>>) -> memref<?x?xf32>
  %v = vector.transfer_read %r[%c0, %c0], %p : memref<?x?xf32>, vector<8x8xf32>
  %w = vector.shape_cast %v : vector<8x8xf32> to vector<64xf32>
  vector.transfer_write %w, %y[%c0] : vector<64xf32>, memref<64xf32>
  gpu.return
}
