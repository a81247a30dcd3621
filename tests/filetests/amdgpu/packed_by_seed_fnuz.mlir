// The same of the formats without negative zero, which gfx942 has; below the normal numbers nothing is said of them.
// test roundtrip
// test run target=gfx942
// lanewise.args x = integers(-100, 100), s = integers(-2147483648, 2147483647), y = empty(64, 4), z = empty(64, 4) ; grid = 1
gpu.func @by_seed(%x: memref<64xf32>, %s: memref<64xi32>, %y: memref<64x4xf8E4M3FNUZ>, %z: memref<64x4xf8E5M2FNUZ>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%id] : memref<64xf32>
  %seed = memref.load %s[%id] : memref<64xi32>
  %least = arith.constant 0.5 : f32
  %small = arith.mulf %v, %least : f32
  %0 = amdgpu.packed_stoch_round_fp8 %v + %seed into undef[2] : f32 to vector<4xf8E4M3FNUZ>
  %1 = amdgpu.packed_stoch_round_fp8 %small + %seed into %0[1] : f32 to vector<4xf8E4M3FNUZ> into vector<4xf8E4M3FNUZ>
  vector.store %1, %y[%id, %c0] : memref<64x4xf8E4M3FNUZ>, vector<4xf8E4M3FNUZ>
  %tiny = arith.mulf %small, %v : f32
  %2 = amdgpu.packed_stoch_round_fp8 %v + %seed into undef[3] : f32 to vector<4xf8E5M2FNUZ>
  %3 = amdgpu.packed_stoch_round_fp8 %tiny + %seed into %2[0] : f32 to vector<4xf8E5M2FNUZ> into vector<4xf8E5M2FNUZ>
  vector.store %3, %z[%id, %c0] : memref<64x4xf8E5M2FNUZ>, vector<4xf8E5M2FNUZ>
  gpu.return
}
