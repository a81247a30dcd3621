// Data whose extents are known at run time, in tiles: those of the dialect's document, 3x6 as 2x9 in tiles of 4. What the
// tiles have beyond the data may be anything; 0 to 17 are printed where they go.
// test roundtrip
// test run
// test run target=gfx942
// test run target=gfx1100
// lanewise.args x = index(3, 2, 4), s = integers(3, 3, 1), n = full(2, value=9), y = empty(2, 3, 4)
// prints ( 0, 1, 2, 3, 4, 5, 8, 9, 10 )
// prints ( 11, 12, 13, 16, 17, 18, 19, 20, 21 )
gpu.func @of_workgroup(%x: memref<3x2x4xf32>, %s: memref<1xindex>, %n: memref<2xindex>, %y: memref<2x3x4xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %c3 = memref.load %s[%c0] : memref<1xindex>
  %c9 = memref.load %n[%c0] : memref<2xindex>
  %v = vector.load %x[%c0, %c0, %c0] : memref<3x2x4xf32>, vector<3x2x4xf32>
  %r = vector.reshape %v, [%c3, %c6], [%c2, %c9], [4] : vector<3x2x4xf32> to vector<2x3x4xf32>
  vector.store %r, %y[%c0, %c0, %c0] : memref<2x3x4xf32>, vector<2x3x4xf32>
  %rows = vector.shape_cast %r : vector<2x3x4xf32> to vector<2x12xf32>
  %data = vector.extract_strided_slice %rows {offsets = [0, 0], sizes = [2, 9], strides = [1, 1]}
      : vector<2x12xf32> to vector<2x9xf32>
  %first = vector.extract %data[0] : vector<9xf32> from vector<2x9xf32>
  %second = vector.extract %data[1] : vector<9xf32> from vector<2x9xf32>
  vector.print %first : vector<9xf32>
  vector.print %second : vector<9xf32>
  gpu.return
}
// -----
// The same of data that fill their tiles of two dims, 4x6 as 2x12 in tiles of 2x3, in a subgroup's program, whose lanes have
// no buffer.
// lanewise.args s = full(1, value=4)
// prints ( ( ( ( 0, 1, 2 ), ( 12, 13, 14 ) ), ( ( 6, 7, 8 ), ( 18, 19, 20 ) ), ( ( 3, 4, 5 ), ( 15, 16, 17 ) ), ( ( 9, 10, 11 ), ( 21, 22, 23 ) ) ) )
gpu.func @of_subgroup(%s: memref<1xindex>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "subgroup"} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %c12 = arith.constant 12 : index
  %c4 = memref.load %s[%c0] : memref<1xindex>
  %row = vector.step : vector<24xindex>
  %v = vector.shape_cast %row : vector<24xindex> to vector<2x2x2x3xindex>
  %r = vector.reshape %v, [%c4, %c6], [%c2, %c12], [2, 3] : vector<2x2x2x3xindex> to vector<1x4x2x3xindex>
  vector.print %r : vector<1x4x2x3xindex>
  gpu.return
}
// -----
// Tiles of two dims, in a thread's program: 3x5 as 5x3 in tiles of 2x3, whose last tile has one row.
// lanewise.args s = full(1, value=3)
// prints ( ( 0, 1, 2 ), ( 6, 7, 3 ) )
// prints ( ( 4, 5, 9 ), ( 10, 12, 13 ) )
// prints ( 14, 18, 19 )
gpu.func @of_thread(%s: memref<1xindex>) kernel
    attributes {gpu.known_block_size = array<i32: 1, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %c3 = memref.load %s[%c0] : memref<1xindex>
  %row = vector.step : vector<24xindex>
  %v = vector.shape_cast %row : vector<24xindex> to vector<2x2x2x3xindex>
  %r = vector.reshape %v, [%c3, %c5], [%c5, %c3], [2, 3] : vector<2x2x2x3xindex> to vector<3x1x2x3xindex>
  %a = vector.extract %r[0, 0] : vector<2x3xindex> from vector<3x1x2x3xindex>
  %b = vector.extract %r[1, 0] : vector<2x3xindex> from vector<3x1x2x3xindex>
  %c = vector.extract %r[2, 0, 0] : vector<3xindex> from vector<3x1x2x3xindex>
  vector.print %a : vector<2x3xindex>
  vector.print %b : vector<2x3xindex>
  vector.print %c : vector<3xindex>
  gpu.return
}
