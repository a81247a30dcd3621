// The only element of a vector without dimensions.
// test roundtrip
// test run
// test run target=gfx942
// lanewise.args x = ones(1), o = empty(1); grid = 1
gpu.func @f(%X: memref<1xf32>, %O: memref<1xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %x = memref.load %X[%c0] : memref<1xf32>
  %v = vector.broadcast %x : f32 to vector<f32>
  %s = vector.extract %v[] : f32 from vector<f32>
  memref.store %s, %O[%c0] : memref<1xf32>
  gpu.return
}

// -----
// lanewise.args x = index(3), o = empty(3); grid = 3
gpu.func @inserted(%X: memref<3xf32>, %O: memref<3xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %b = gpu.block_id x
  %x = memref.load %X[%b] : memref<3xf32>
  %zero = arith.constant dense<0.0> : vector<f32>
  %v = vector.insert %x, %zero[] : f32 into vector<f32>
  %w = arith.addf %v, %v : vector<f32>
  %s = vector.extract %w[] : f32 from vector<f32>
  memref.store %s, %O[%b] : memref<3xf32>
  gpu.return
}
