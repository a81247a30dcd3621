// Instructions of a thread's program, as the thread stage has them; and an address, which no executor makes a number of.
// test roundtrip
// test verify
func.func @pieces(%m: memref<128x40xf16, #gpu.address_space<workgroup>>, %i: index, %b: vector<2x2xf16>, %c: vector<2x2xf32>,
    %a4: vector<4xf16>, %c16: vector<16xf32>, %a16: vector<16xf16>, %c8: vector<8xf32>) {
  %a = nvgpu.ldmatrix %m[%i, %i] numTiles = 4 transpose = false : memref<128x40xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
  %d = nvgpu.mma.sync(%a, %b, %c) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
  nvgpu.stmatrix %b, %m[%i, %i] : vector<2x2xf16>, memref<128x40xf16, #gpu.address_space<workgroup>>
  %e = amdgpu.mfma 32x32x8 %a4 * %a4 + %c16 : vector<4xf16>, vector<4xf16>, vector<16xf32>
  %f = amdgpu.wmma 16x16x16 %a16 * %a16 + %c8 : vector<16xf16>, vector<16xf16>, vector<8xf32>
  %p = memref.extract_aligned_pointer_as_index %m : memref<128x40xf16, #gpu.address_space<workgroup>> -> index
  return
}
