// test compile
gpu.func @k(%x: memref<4xvector<2x4xf32>>, %y: memref<4xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = vector.step : vector<4xindex>
  %ints = arith.index_cast %pad : vector<4xindex> to vector<4xi32>
  %floats = arith.sitofp %ints : vector<4xi32> to vector<4xf32>
  %p = vector.broadcast %floats : vector<4xf32> to vector<2x4xf32>
  // expected-error@+1 {{pads with a vector<2x4xf32> whose elements may differ}}
  %v = vector.transfer_read %x[%c0], %p : memref<4xvector<2x4xf32>>, vector<4x2x4xf32>
  gpu.return
}
// -----
gpu.func @k(%x: memref<2x4xf32>, %d: memref<?x4xf32>, %s: memref<2x4xf32, strided<[8, 1]>>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  // expected-error@+1 {{expects concatenated result and operand shapes to be equal, found [2, 4] and [8]}}
  %a = vector.type_cast %x : memref<2x4xf32> to memref<vector<8xf32>>
  // expected-error@+1 {{expects result and operand with same underlying scalar type, found memref<2x4xf32> to memref<vector<2x4xi32>>}}
  %b = vector.type_cast %x : memref<2x4xf32> to memref<vector<2x4xi32>>
  // expected-error@+1 {{expects result in same memory space, found memref<2x4xf32> to memref<vector<2x4xf32>, 3 : i64>}}
  %c = vector.type_cast %x : memref<2x4xf32> to memref<vector<2x4xf32>, 3>
  // expected-error@+1 {{casts memrefs of static shape, found memref<?x4xf32> to memref<?xvector<4xf32>>}}
  %e = vector.type_cast %d : memref<?x4xf32> to memref<?xvector<4xf32>>
  // expected-error@+1 {{expects memrefs with identity layout, found memref<2x4xf32, strided<[8, 1]>> to memref<vector<2x4xf32>>}}
  %f = vector.type_cast %s : memref<2x4xf32, strided<[8, 1]>> to memref<vector<2x4xf32>>
  gpu.return
}
// -----
gpu.func @k(%x: memref<4xvector<2x4xf32>>, %m: vector<4xi1>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant dense<0.0> : vector<2x4xf32>
  // expected-error@+1 {{takes no mask where elements are vectors, found memref<4xvector<2x4xf32>>}}
  %v = vector.transfer_read %x[%c0], %p, %m : memref<4xvector<2x4xf32>>, vector<4x2x4xf32>
  gpu.return
}
// -----
gpu.func @k(%x: memref<4x4xvector<4xf32>>, %m: vector<4xi1>, %p: vector<4xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{moves one element: found memref<4x4xvector<4xf32>> and vector<2x4xf32>}}
  %v = vector.load %x[%c0, %c0] : memref<4x4xvector<4xf32>>, vector<2x4xf32>
  // expected-error@+1 {{moves no vectors of a memref under a mask: found memref<4x4xvector<4xf32>> and vector<4xf32>}}
  %w = vector.maskedload %x[%c0, %c0], %m, %p : memref<4x4xvector<4xf32>>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  gpu.return
}
// -----
gpu.func @k(%x: memref<4xvector<2x4xf32>>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{vector<2x4xf32> has more dims than memref<4xvector<2x4xf32>>}}
  %v = vector.load %x[%c0] : memref<4xvector<2x4xf32>>, vector<2x4xf32>
  gpu.return
}
