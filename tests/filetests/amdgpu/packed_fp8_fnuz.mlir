// The formats without negative zero, which gfx942 has.
// test roundtrip
// test run target=gfx942
// lanewise.args x = integers(-8, 8), y = empty(64, 2), w = empty(64, 4)
gpu.func @fnuz(%x: memref<64x3xf8E5M2FNUZ>, %y: memref<64x2xf32>, %w: memref<64x4xf8E4M3FNUZ>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%id, %c0] : memref<64x3xf8E5M2FNUZ>, vector<3xf8E5M2FNUZ>
  %0 = amdgpu.ext_packed_fp8 %v[2] : vector<3xf8E5M2FNUZ> to f32
  %1 = amdgpu.ext_packed_fp8 %v[0] : vector<3xf8E5M2FNUZ> to vector<2xf32>
  vector.store %1, %y[%id, %c0] : memref<64x2xf32>, vector<2xf32>
  %third = arith.constant 0.3 : f32
  %a = arith.mulf %0, %third : f32
  %2 = amdgpu.packed_trunc_2xfp8 %a, %0 into undef[word 1] : f32 to vector<4xf8E4M3FNUZ>
  vector.store %2, %w[%id, %c0] : memref<64x4xf8E4M3FNUZ>, vector<4xf8E4M3FNUZ>
  gpu.return
}
