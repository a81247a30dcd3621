// A few products and a sum, as one instruction; small integers, so that any order of the sum is exact.
// test roundtrip
// test run target=gfx90a
// test run target=gfx942
// test run target=gfx950
// test run target=gfx1030
// test run target=gfx1100
// test run target=gfx1201
// lanewise.args x = integers(-9, 9), b = integers(-128, 127), n = integers(-8, 7), c = integers(-2147483648, 2147483647), y = empty(64), z = empty(6, 64)
gpu.func @everywhere(%x: memref<64x2xf16>, %b: memref<64x4xi8>, %n: memref<64x8xi4>, %c: memref<64xi32>, %y: memref<64xf32>,
    %z: memref<6x64xi32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %half = arith.constant 0.5 : f32
  %v = vector.load %x[%id, %c0] : memref<64x2xf16>, vector<2xf16>
  %0 = amdgpu.dot %v * %v + %half : vector<2xf16>, vector<2xf16>, f32
  memref.store %0, %y[%id] : memref<64xf32>
  %start = memref.load %c[%id] : memref<64xi32>
  %bytes = vector.load %b[%id, %c0] : memref<64x4xi8>, vector<4xi8>
  %nibbles = vector.load %n[%id, %c0] : memref<64x8xi4>, vector<8xi4>
  %1 = amdgpu.dot %bytes * %bytes + %start : vector<4xi8>, vector<4xi8>, i32
  %2 = amdgpu.dot %bytes * %bytes + %start unsignedA unsignedB : vector<4xi8>, vector<4xi8>, i32
  %3 = amdgpu.dot %bytes * %bytes + %start clamp : vector<4xi8>, vector<4xi8>, i32
  %4 = amdgpu.dot %nibbles * %nibbles + %start : vector<8xi4>, vector<8xi4>, i32
  %5 = amdgpu.dot %nibbles * %nibbles + %start unsignedA unsignedB clamp : vector<8xi4>, vector<8xi4>, i32
  %6 = amdgpu.dot %bytes * %bytes + %start unsignedA unsignedB clamp : vector<4xi8>, vector<4xi8>, i32
  memref.store %1, %z[%c0, %id] : memref<6x64xi32>
  memref.store %2, %z[%c1, %id] : memref<6x64xi32>
  memref.store %3, %z[%c2, %id] : memref<6x64xi32>
  memref.store %4, %z[%c3, %id] : memref<6x64xi32>
  memref.store %5, %z[%c4, %id] : memref<6x64xi32>
  memref.store %6, %z[%c5, %id] : memref<6x64xi32>
  gpu.return
}
