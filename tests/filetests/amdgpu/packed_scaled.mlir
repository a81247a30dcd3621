// Short floats with a scale, on gfx950: pairs of a word times a power of two, or divided by it.
// test roundtrip
// test run target=gfx950
// lanewise.args x = integers(-6, 6), q = integers(-4, 4), p = integers(-3, 3), f = empty(64, 2), h = empty(64, 2), b = empty(64, 2), w = empty(64, 4), n = empty(64, 8), m = empty(64, 4)
gpu.func @scaled(%x: memref<64x4xf8E4M3FN>, %q: memref<64x8xf4E2M1FN>, %p: memref<64xi32>, %f: memref<64x2xf32>, %h: memref<64x2xf16>,
    %b: memref<64x2xbf16>, %w: memref<64x4xf8E5M2>, %n: memref<64x8xf4E2M1FN>, %m: memref<64x4xf8E4M3FN>)
    kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %power = memref.load %p[%id] : memref<64xi32>
  %bias = arith.constant 127 : i32
  %c23 = arith.constant 23 : i32
  %exponent = arith.addi %power, %bias : i32
  %bits = arith.shli %exponent, %c23 : i32
  %scale = arith.bitcast %bits : i32 to f32
  %v = vector.load %x[%id, %c0] : memref<64x4xf8E4M3FN>, vector<4xf8E4M3FN>
  %u = vector.load %q[%id, %c0] : memref<64x8xf4E2M1FN>, vector<8xf4E2M1FN>
  %0 = amdgpu.scaled_ext_packed %v[1], %scale : vector<4xf8E4M3FN> to vector<2xf32>
  %1 = amdgpu.scaled_ext_packed %u[3], %scale : vector<8xf4E2M1FN> to vector<2xf16>
  %2 = amdgpu.scaled_ext_packed %u[0], %scale : vector<8xf4E2M1FN> to vector<2xbf16>
  vector.store %0, %f[%id, %c0] : memref<64x2xf32>, vector<2xf32>
  vector.store %1, %h[%id, %c0] : memref<64x2xf16>, vector<2xf16>
  vector.store %2, %b[%id, %c0] : memref<64x2xbf16>, vector<2xbf16>
  %3 = amdgpu.packed_scaled_trunc %0 into undef[1], %scale : vector<2xf32> to vector<4xf8E5M2>
  vector.store %3, %w[%id, %c0] : memref<64x4xf8E5M2>, vector<4xf8E5M2>
  %4 = amdgpu.packed_scaled_trunc %1 into %u[2], %scale : vector<2xf16> to vector<8xf4E2M1FN> into vector<8xf4E2M1FN>
  vector.store %4, %n[%id, %c0] : memref<64x8xf4E2M1FN>, vector<8xf4E2M1FN>
  %5 = amdgpu.packed_scaled_trunc %2 into %v[0], %scale : vector<2xbf16> to vector<4xf8E4M3FN> into vector<4xf8E4M3FN>
  vector.store %5, %m[%id, %c0] : memref<64x4xf8E4M3FN>, vector<4xf8E4M3FN>
  gpu.return
}
