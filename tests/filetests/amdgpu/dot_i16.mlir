// Products of i16: not from gfx11 on.
// test roundtrip
// test run target=gfx90a
// test run target=gfx942
// test run target=gfx1030
// lanewise.args x = integers(-32768, 32767), c = integers(-2147483648, 2147483647), y = empty(64), z = empty(64)
gpu.func @short(%x: memref<64x2xi16>, %c: memref<64xi32>, %y: memref<64xi32>, %z: memref<64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%id, %c0] : memref<64x2xi16>, vector<2xi16>
  %start = memref.load %c[%id] : memref<64xi32>
  %0 = amdgpu.dot %v * %v + %start clamp : vector<2xi16>, vector<2xi16>, i32
  %1 = amdgpu.dot %v * %v + %start unsignedA unsignedB : vector<2xi16>, vector<2xi16>, i32
  memref.store %0, %y[%id] : memref<64xi32>
  memref.store %1, %z[%id] : memref<64xi32>
  gpu.return
}
