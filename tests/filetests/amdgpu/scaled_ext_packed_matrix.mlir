// A wave's matrix of short floats times scales of other lanes: every choice of them, in every type.
// test roundtrip
// test run target=gfx1250
// Lanes read others for the scales of lanes 16 on of bytes (two: from byte 2, and 3), and themselves once for each word in which
// LLVM is not to see what lanes have in common (four: all scales, bytes 0 and 2, 1 and 3, and the upper lanes' from byte 2).
// expect gfx1250: shuffles 6
// lanewise.args x = integers(-4, 4), z = integers(-4, 4), p = integers(-6, 6), q = integers(-12, 12), v = integers(-7, 7), s = uniform(low=0.3, high=40), f = empty(4, 32, 8), h = empty(4, 32, 16), b = empty(6, 32, 8) ; grid = 1
gpu.func @scaled(%x: memref<32x8xf4E2M1FN>, %z: memref<32x16xf6E2M3FN>, %p: memref<32x16xf6E3M2FN>, %q: memref<32x8xf8E4M3FN>,
    %v: memref<32x8xf8E5M2>, %s: memref<32x4xf8E8M0FNU>, %f: memref<4x32x8xf32>, %h: memref<4x32x16xf16>, %b: memref<6x32x8xbf16>)
    kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %t = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %four = vector.load %x[%t, %c0] : memref<32x8xf4E2M1FN>, vector<8xf4E2M1FN>
  %six = vector.load %z[%t, %c0] : memref<32x16xf6E2M3FN>, vector<16xf6E2M3FN>
  %other = vector.load %p[%t, %c0] : memref<32x16xf6E3M2FN>, vector<16xf6E3M2FN>
  %eight = vector.load %q[%t, %c0] : memref<32x8xf8E4M3FN>, vector<8xf8E4M3FN>
  %wide = vector.load %v[%t, %c0] : memref<32x8xf8E5M2>, vector<8xf8E5M2>
  %scales = vector.load %s[%t, %c0] : memref<32x4xf8E8M0FNU>, vector<4xf8E8M0FNU>
  %f0 = amdgpu.scaled_ext_packed_matrix %four scale(%scales) blockSize(32) firstScaleLane(0) firstScaleByte(0) : vector<8xf4E2M1FN>, vector<4xf8E8M0FNU> -> vector<8xf32>
  %f1 = amdgpu.scaled_ext_packed_matrix %four scale(%scales) blockSize(32) firstScaleLane(16) firstScaleByte(2) : vector<8xf4E2M1FN>, vector<4xf8E8M0FNU> -> vector<8xf32>
  %f2 = amdgpu.scaled_ext_packed_matrix %four scale(%scales) blockSize(16) firstScaleLane(16) firstScaleByte(1) : vector<8xf4E2M1FN>, vector<4xf8E8M0FNU> -> vector<8xf32>
  %f3 = amdgpu.scaled_ext_packed_matrix %wide scale(%scales) blockSize(32) firstScaleLane(16) firstScaleByte(3) : vector<8xf8E5M2>, vector<4xf8E8M0FNU> -> vector<8xf32>
  vector.store %f0, %f[%c0, %t, %c0] : memref<4x32x8xf32>, vector<8xf32>
  vector.store %f1, %f[%c1, %t, %c0] : memref<4x32x8xf32>, vector<8xf32>
  vector.store %f2, %f[%c2, %t, %c0] : memref<4x32x8xf32>, vector<8xf32>
  vector.store %f3, %f[%c3, %t, %c0] : memref<4x32x8xf32>, vector<8xf32>
  %h0 = amdgpu.scaled_ext_packed_matrix %six scale(%scales) blockSize(32) firstScaleLane(16) firstScaleByte(0) : vector<16xf6E2M3FN>, vector<4xf8E8M0FNU> -> vector<16xf16>
  %h1 = amdgpu.scaled_ext_packed_matrix %six scale(%scales) blockSize(32) firstScaleLane(0) firstScaleByte(2) : vector<16xf6E2M3FN>, vector<4xf8E8M0FNU> -> vector<16xf16>
  %h2 = amdgpu.scaled_ext_packed_matrix %other scale(%scales) blockSize(16) firstScaleLane(0) firstScaleByte(0) : vector<16xf6E3M2FN>, vector<4xf8E8M0FNU> -> vector<16xf16>
  %h3 = amdgpu.scaled_ext_packed_matrix %other scale(%scales) blockSize(16) firstScaleLane(16) firstScaleByte(0) : vector<16xf6E3M2FN>, vector<4xf8E8M0FNU> -> vector<16xf16>
  vector.store %h0, %h[%c0, %t, %c0] : memref<4x32x16xf16>, vector<16xf16>
  vector.store %h1, %h[%c1, %t, %c0] : memref<4x32x16xf16>, vector<16xf16>
  vector.store %h2, %h[%c2, %t, %c0] : memref<4x32x16xf16>, vector<16xf16>
  vector.store %h3, %h[%c3, %t, %c0] : memref<4x32x16xf16>, vector<16xf16>
  %b0 = amdgpu.scaled_ext_packed_matrix %eight scale(%scales) blockSize(32) firstScaleLane(0) firstScaleByte(0) : vector<8xf8E4M3FN>, vector<4xf8E8M0FNU> -> vector<8xbf16>
  %b1 = amdgpu.scaled_ext_packed_matrix %eight scale(%scales) blockSize(32) firstScaleLane(0) firstScaleByte(1) : vector<8xf8E4M3FN>, vector<4xf8E8M0FNU> -> vector<8xbf16>
  %b2 = amdgpu.scaled_ext_packed_matrix %eight scale(%scales) blockSize(32) firstScaleLane(16) firstScaleByte(2) : vector<8xf8E4M3FN>, vector<4xf8E8M0FNU> -> vector<8xbf16>
  %b3 = amdgpu.scaled_ext_packed_matrix %eight scale(%scales) blockSize(16) firstScaleLane(0) firstScaleByte(0) : vector<8xf8E4M3FN>, vector<4xf8E8M0FNU> -> vector<8xbf16>
  %b4 = amdgpu.scaled_ext_packed_matrix %wide scale(%scales) blockSize(16) firstScaleLane(16) firstScaleByte(2) : vector<8xf8E5M2>, vector<4xf8E8M0FNU> -> vector<8xbf16>
  %b5 = amdgpu.scaled_ext_packed_matrix %four scale(%scales) blockSize(16) firstScaleLane(0) firstScaleByte(0) : vector<8xf4E2M1FN>, vector<4xf8E8M0FNU> -> vector<8xbf16>
  vector.store %b0, %b[%c0, %t, %c0] : memref<6x32x8xbf16>, vector<8xbf16>
  vector.store %b1, %b[%c1, %t, %c0] : memref<6x32x8xbf16>, vector<8xbf16>
  vector.store %b2, %b[%c2, %t, %c0] : memref<6x32x8xbf16>, vector<8xbf16>
  vector.store %b3, %b[%c3, %t, %c0] : memref<6x32x8xbf16>, vector<8xbf16>
  vector.store %b4, %b[%c4, %t, %c0] : memref<6x32x8xbf16>, vector<8xbf16>
  vector.store %b5, %b[%c5, %t, %c0] : memref<6x32x8xbf16>, vector<8xbf16>
  gpu.return
}
