// Products of block-scaled elements of a wave, in whose sums all products are exact: with scales of 32 that are powers of
// two, and with floats of 16.
// test roundtrip
// test run target=gfx1250
// expect gfx1250: mma 2
// lanewise.args a = integers(-2, 2), b = integers(-2, 2), c = integers(-3, 3), p = uniform(low=0.3, high=8), q = uniform(low=0.3, high=8), x = integers(-2, 2), z = integers(-2, 2), w = integers(-3, 3), s = integers(1, 4), t = integers(1, 4), d = empty(32, 8), e = empty(32, 16) ; grid = 1
gpu.func @products(%a: memref<32x64xf8E4M3FN>, %b: memref<32x64xf6E3M2FN>, %c: memref<32x8xf32>, %p: memref<32x4xf8E8M0FNU>, %q: memref<32x4xf8E8M0FNU>,
    %x: memref<32x128xf4E2M1FN>, %z: memref<32x64xf4E2M1FN>, %w: memref<32x16xf32>, %s: memref<32x8xf8E4M3FN>, %t: memref<32x8xf8E4M3FN>, %d: memref<32x8xf32>, %e: memref<32x16xf32>)
    kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %i = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %av = vector.load %a[%i, %c0] : memref<32x64xf8E4M3FN>, vector<64xf8E4M3FN>
  %bv = vector.load %b[%i, %c0] : memref<32x64xf6E3M2FN>, vector<64xf6E3M2FN>
  %cv = vector.load %c[%i, %c0] : memref<32x8xf32>, vector<8xf32>
  %pv = vector.load %p[%i, %c0] : memref<32x4xf8E8M0FNU>, vector<4xf8E8M0FNU>
  %qv = vector.load %q[%i, %c0] : memref<32x4xf8E8M0FNU>, vector<4xf8E8M0FNU>
  %0 = amdgpu.scaled_wmma 16x16x128 (%pv * %av) * (%qv * %bv) + %cv a_first_scale_lane = 0 b_first_scale_lane = 16 : vector<4xf8E8M0FNU>, vector<64xf8E4M3FN>, vector<4xf8E8M0FNU>, vector<64xf6E3M2FN>, vector<8xf32>
  vector.store %0, %d[%i, %c0] : memref<32x8xf32>, vector<8xf32>
  %xv = vector.load %x[%i, %c0] : memref<32x128xf4E2M1FN>, vector<128xf4E2M1FN>
  %zv = vector.load %z[%i, %c0] : memref<32x64xf4E2M1FN>, vector<64xf4E2M1FN>
  %wv = vector.load %w[%i, %c0] : memref<32x16xf32>, vector<16xf32>
  %sv = vector.load %s[%i, %c0] : memref<32x8xf8E4M3FN>, vector<8xf8E4M3FN>
  %tv = vector.load %t[%i, %c0] : memref<32x8xf8E4M3FN>, vector<8xf8E4M3FN>
  %1 = amdgpu.scaled_wmma 32x16x128 (%sv * %xv) * (%tv * %zv) + %wv {a_first_scale_lane = 0 : i32, b_first_scale_lane = 0 : i32} : vector<8xf8E4M3FN>, vector<128xf4E2M1FN>, vector<8xf8E4M3FN>, vector<64xf4E2M1FN>, vector<16xf32>
  vector.store %1, %e[%i, %c0] : memref<32x16xf32>, vector<16xf32>
  gpu.return
}
