// Short sums, and integers of which one is signed: from gfx11 on.
// test roundtrip
// test run target=gfx1100
// test run target=gfx1201
// lanewise.args x = integers(-9, 9), w = integers(-9, 9), b = integers(-128, 127), n = integers(-8, 7), y = empty(64), z = empty(64), u = empty(64), v = empty(2, 64)
gpu.func @mixed(%x: memref<64x2xf16>, %w: memref<64x2xbf16>, %b: memref<64x4xi8>, %n: memref<64x8xi4>, %y: memref<64xf16>,
    %z: memref<64xbf16>, %u: memref<64xf32>, %v: memref<2x64xi32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %three = arith.constant 3.0 : f16
  %two = arith.constant 2.0 : bf16
  %half = arith.constant 0.5 : f32
  %start = arith.constant -7 : i32
  %a = vector.load %x[%id, %c0] : memref<64x2xf16>, vector<2xf16>
  %d = vector.load %w[%id, %c0] : memref<64x2xbf16>, vector<2xbf16>
  %bytes = vector.load %b[%id, %c0] : memref<64x4xi8>, vector<4xi8>
  %nibbles = vector.load %n[%id, %c0] : memref<64x8xi4>, vector<8xi4>
  %0 = amdgpu.dot %a * %a + %three : vector<2xf16>, vector<2xf16>, f16
  %1 = amdgpu.dot %d * %d + %two : vector<2xbf16>, vector<2xbf16>, bf16
  %2 = amdgpu.dot %d * %d + %half : vector<2xbf16>, vector<2xbf16>, f32
  %3 = amdgpu.dot %bytes * %bytes + %start unsignedB : vector<4xi8>, vector<4xi8>, i32
  %4 = amdgpu.dot %nibbles * %nibbles + %start unsignedA clamp : vector<8xi4>, vector<8xi4>, i32
  memref.store %0, %y[%id] : memref<64xf16>
  memref.store %1, %z[%id] : memref<64xbf16>
  memref.store %2, %u[%id] : memref<64xf32>
  memref.store %3, %v[%c0, %id] : memref<2x64xi32>
  memref.store %4, %v[%c1, %id] : memref<2x64xi32>
  gpu.return
}
