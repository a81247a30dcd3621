// What loads from global memory that transpose do not take.
// test verify
func.func @loads(%a: memref<64x64xf16>, %s: memref<64x64xf16, #gpu.address_space<workgroup>>, %w: memref<64x64xf32>, %b: memref<64x64xi8>,
    %far: memref<64x64xf16, strided<[1, 64]>>, %six: memref<64x64xf6E2M3FN>, %fat: memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>, %i: index) {
  %ok = amdgpu.global_transpose_load %b[%i, %i] : memref<64x64xi8> -> vector<16xi4>
  %0 = amdgpu.global_transpose_load %a[%i] : memref<64x64xf16> -> vector<8xf16> // expected-error {{needs 2 indices for memref<64x64xf16>, found 1}}
  %1 = amdgpu.global_transpose_load %s[%i, %i] : memref<64x64xf16, #gpu.address_space<workgroup>> -> vector<8xf16> // expected-error {{reads global memory, found memref<64x64xf16, #gpu.address_space<workgroup>>}}
  %2 = amdgpu.global_transpose_load %fat[%i, %i] : memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>> -> vector<8xf16> // expected-error {{reads global memory, found memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>}}
  %3 = amdgpu.global_transpose_load %a[%i, %i] : memref<64x64xf16> -> vector<4xf16> // expected-error {{gives each lane 8 elements of 16 bits or 8 elements of 8 bits or 16 elements of 6 bits or 16 elements of 4 bits, found vector<4xf16>}}
  %4 = amdgpu.global_transpose_load %w[%i, %i] : memref<64x64xf32> -> vector<4xf32> // expected-error {{gives each lane 8 elements of 16 bits or 8 elements of 8 bits}}
  %5 = amdgpu.global_transpose_load %b[%i, %i] : memref<64x64xi8> -> vector<8xf8E5M2> // expected-error {{element types differ: memref<64x64xi8> and vector<8xf8E5M2>}}
  %6 = amdgpu.global_transpose_load %far[%i, %i] : memref<64x64xf16, strided<[1, 64]>> -> vector<8xf16> // expected-error {{needs a memref whose last dimension has stride 1}}
  %7 = amdgpu.global_transpose_load %six[%i, %i] : memref<64x64xf6E2M3FN> -> vector<16xf6E2M3FN> // expected-error {{reads vector<16xf6E2M3FN> from a memref of i8, where they have no gaps, found memref<64x64xf6E2M3FN>}}
  return
}
