// A memref of vectors has its elements one behind the other, each row-major: an array of more dims.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// lanewise.args x = index(6, 2, 4), y = empty(6, 2, 4), z = empty(4, 2, 4)
gpu.func @accesses(%x: memref<6xvector<2x4xf32>>, %y: memref<6xvector<2x4xf32>>, %z: memref<4xvector<2x4xf32>>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %pad = arith.constant dense<-9.0> : vector<2x4xf32>
  %six = vector.transfer_read %x[%c0], %pad {in_bounds = [true]}
      : memref<6xvector<2x4xf32>>, vector<6x2x4xf32>
  vector.transfer_write %six, %y[%c0] {in_bounds = [true]}
      : vector<6x2x4xf32>, memref<6xvector<2x4xf32>>
  %one = memref.load %x[%c5] : memref<6xvector<2x4xf32>>
  memref.store %one, %y[%c0] : memref<6xvector<2x4xf32>>
  // Elements 4 and 5, then two paddings.
  %c4 = arith.constant 4 : index
  %four = vector.transfer_read %x[%c4], %pad : memref<6xvector<2x4xf32>>, vector<4x2x4xf32>
  vector.transfer_write %four, %z[%c0] {in_bounds = [true]} : vector<4x2x4xf32>, memref<4xvector<2x4xf32>>
  // Elements 1 and 3 of x become 2 and 4 of y.
  %from = memref.subview %x[1] [2] [2] : memref<6xvector<2x4xf32>> to memref<2xvector<2x4xf32>, strided<[2], offset: 1>>
  %to = memref.subview %y[2] [2] [2] : memref<6xvector<2x4xf32>> to memref<2xvector<2x4xf32>, strided<[2], offset: 2>>
  memref.copy %from, %to
      : memref<2xvector<2x4xf32>, strided<[2], offset: 1>> to memref<2xvector<2x4xf32>, strided<[2], offset: 2>>
  gpu.return
}
// -----
// vector.type_cast moves dims of a buffer into its elements, and back.
// lanewise.args x = index(3, 2, 4), y = empty(3, 8)
gpu.func @type_cast(%x: memref<3x2x4xf32>, %y: memref<3x8xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %whole = vector.type_cast %x : memref<3x2x4xf32> to memref<vector<3x2x4xf32>>
  %v = memref.load %whole[] : memref<vector<3x2x4xf32>>
  %flat = vector.shape_cast %v : vector<3x2x4xf32> to vector<3x8xf32>
  %twice = arith.addf %flat, %flat : vector<3x8xf32>
  %rows = vector.type_cast %y : memref<3x8xf32> to memref<3xvector<8xf32>>
  %row = vector.extract %twice[0] : vector<8xf32> from vector<3x8xf32>
  vector.store %row, %rows[%c0] : memref<3xvector<8xf32>>, vector<8xf32>
  %rest = vector.extract_strided_slice %twice {offsets = [1], sizes = [2], strides = [1]} : vector<3x8xf32> to vector<2x8xf32>
  vector.transfer_write %rest, %rows[%c1] {in_bounds = [true]} : vector<2x8xf32>, memref<3xvector<8xf32>>
  gpu.return
}
// -----
// A buffer of vectors in the workgroup's memory, carried by a loop; a view that says offset and strides in vectors.
// lanewise.args x = index(8, 4), y = empty(8, 4)
gpu.func @buffers(%x: memref<8xvector<4xi32>>, %y: memref<8xvector<4xi32>>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %p = arith.constant 0 : i32
  %pad = vector.broadcast %p : i32 to vector<4xi32>
  %a = memref.alloc() : memref<4xvector<4xi32>, #gpu.address_space<workgroup>>
  %b = memref.alloc() : memref<4xvector<4xi32>, #gpu.address_space<workgroup>>
  %odd = memref.reinterpret_cast %x to offset: [1], sizes: [4], strides: [2]
      : memref<8xvector<4xi32>> to memref<4xvector<4xi32>, strided<[2], offset: 1>>
  %v = vector.transfer_read %odd[%c0], %pad {in_bounds = [true]}
      : memref<4xvector<4xi32>, strided<[2], offset: 1>>, vector<4x4xi32>
  vector.transfer_write %v, %a[%c0] {in_bounds = [true]}
      : vector<4x4xi32>, memref<4xvector<4xi32>, #gpu.address_space<workgroup>>
  %w = arith.addi %v, %v : vector<4x4xi32>
  vector.transfer_write %w, %b[%c0] {in_bounds = [true]}
      : vector<4x4xi32>, memref<4xvector<4xi32>, #gpu.address_space<workgroup>>
  %c2 = arith.constant 2 : index
  %last:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%m = %a, %n = %b)
      -> (memref<4xvector<4xi32>, #gpu.address_space<workgroup>>, memref<4xvector<4xi32>, #gpu.address_space<workgroup>>) {
    %r = vector.transfer_read %m[%c0], %pad {in_bounds = [true]}
      : memref<4xvector<4xi32>, #gpu.address_space<workgroup>>, vector<4x4xi32>
    %at = arith.muli %i, %c4 : index
    vector.transfer_write %r, %y[%at] {in_bounds = [true]}
      : vector<4x4xi32>, memref<8xvector<4xi32>>
    scf.yield %n, %m
      : memref<4xvector<4xi32>, #gpu.address_space<workgroup>>, memref<4xvector<4xi32>, #gpu.address_space<workgroup>>
  }
  gpu.return
}
