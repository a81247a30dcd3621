// Floats of eight bits, of one format or of two: gfx1200 and gfx1201.
// test roundtrip
// test run target=gfx1201
// lanewise.args x = integers(-4, 4), w = integers(-4, 4), y = empty(64)
gpu.func @bytes(%x: memref<64x4xf8E4M3FN>, %w: memref<64x4xf8E5M2>, %y: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %half = arith.constant 0.5 : f32
  %a = vector.load %x[%id, %c0] : memref<64x4xf8E4M3FN>, vector<4xf8E4M3FN>
  %b = vector.load %w[%id, %c0] : memref<64x4xf8E5M2>, vector<4xf8E5M2>
  %0 = amdgpu.dot %a * %b + %half : vector<4xf8E4M3FN>, vector<4xf8E5M2>, f32
  %1 = amdgpu.dot %b * %b + %0 : vector<4xf8E5M2>, vector<4xf8E5M2>, f32
  memref.store %1, %y[%id] : memref<64xf32>
  gpu.return
}
