// What extensions of a wave's matrix do not take.
// test verify
func.func @wrong(%x: vector<8xf4E2M1FN>, %z: vector<16xf6E2M3FN>, %q: vector<8xf8E4M3FN>, %h: vector<8xf16>, %s: vector<4xf8E8M0FNU>, %e: vector<4xf8E4M3FN>) {
  %0 = amdgpu.scaled_ext_packed_matrix %x scale(%s) blockSize(64) firstScaleLane(0) firstScaleByte(0) : vector<8xf4E2M1FN>, vector<4xf8E8M0FNU> -> vector<8xf16> // expected-error {{blockSize must be 16 or 32, found 64}}
  %1 = amdgpu.scaled_ext_packed_matrix %x scale(%s) blockSize(32) firstScaleLane(0) firstScaleByte(1) : vector<8xf4E2M1FN>, vector<4xf8E8M0FNU> -> vector<8xf16> // expected-error {{of f4E2M1FN with blockSize 32 (firstScaleLane, firstScaleByte) must be one of (0, 0), (0, 2), (16, 0), (16, 2), found (0, 1)}}
  %2 = amdgpu.scaled_ext_packed_matrix %z scale(%s) blockSize(16) firstScaleLane(0) firstScaleByte(2) : vector<16xf6E2M3FN>, vector<4xf8E8M0FNU> -> vector<16xf16> // expected-error {{must be one of (0, 0), (0, 1), (16, 0), (16, 1), found (0, 2)}}
  %3 = amdgpu.scaled_ext_packed_matrix %q scale(%s) blockSize(16) firstScaleLane(16) firstScaleByte(0) : vector<8xf8E4M3FN>, vector<4xf8E8M0FNU> -> vector<8xf16> // expected-error {{must be one of (0, 0), (16, 2), found (16, 0)}}
  %4 = amdgpu.scaled_ext_packed_matrix %q scale(%s) blockSize(32) firstScaleLane(8) firstScaleByte(0) : vector<8xf8E4M3FN>, vector<4xf8E8M0FNU> -> vector<8xf16> // expected-error {{found (8, 0)}}
  %5 = amdgpu.scaled_ext_packed_matrix %z scale(%s) blockSize(32) firstScaleLane(0) firstScaleByte(0) : vector<16xf6E2M3FN>, vector<4xf8E8M0FNU> -> vector<8xf16> // expected-error {{extends each element: vector<16xf6E2M3FN> gives as many, found vector<8xf16>}}
  %6 = amdgpu.scaled_ext_packed_matrix %h scale(%s) blockSize(32) firstScaleLane(0) firstScaleByte(0) : vector<8xf16>, vector<4xf8E8M0FNU> -> vector<8xf32> // expected-error {{operand 'source' must be eight of f4E2M1FN, f8E4M3FN or f8E5M2, or sixteen of f6E2M3FN or f6E3M2FN, found vector<8xf16>}}
  %7 = amdgpu.scaled_ext_packed_matrix %q scale(%e) blockSize(32) firstScaleLane(0) firstScaleByte(0) : vector<8xf8E4M3FN>, vector<4xf8E4M3FN> -> vector<8xf32> // expected-error {{operand 'scale' must be vector<4xf8E8M0FNU>, found vector<4xf8E4M3FN>}}
  %8 = amdgpu.scaled_ext_packed_matrix %q scale(%s) blockSize(32) firstScaleLane(0) firstScaleByte(0) : vector<8xf8E4M3FN>, vector<4xf8E8M0FNU> -> vector<8xi32> // expected-error {{result 'res' must be eight or sixteen of f32, f16 or bf16, found vector<8xi32>}}
  return
}
