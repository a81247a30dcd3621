// What raw buffers and their accesses do not take.
// test verify
func.func @casts(%m: memref<8xi32, strided<[1], offset: ?>>, %w: memref<8xi32, #gpu.address_space<workgroup>>, %n: i16, %s: i32,
    %p: memref<8xi32>) {
  %0 = amdgpu.fat_raw_buffer_cast %m : memref<8xi32, strided<[1], offset: ?>> to memref<8xi32, #amdgpu.address_space<fat_raw_buffer>> // expected-error {{expected result type to be memref<8xi32, strided<[1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>, found memref<8xi32, #amdgpu.address_space<fat_raw_buffer>>}}
  %1 = amdgpu.fat_raw_buffer_cast %p : memref<8xi32> to memref<8xi32, #amdgpu.address_space<buffer_rsrc>> // expected-error {{expected result type to be memref<8xi32, #amdgpu.address_space<fat_raw_buffer>>}}
  %2 = amdgpu.fat_raw_buffer_cast %w : memref<8xi32, #gpu.address_space<workgroup>> to memref<8xi32, #amdgpu.address_space<fat_raw_buffer>> // expected-error {{casts a buffer in global memory, found memref<8xi32, #gpu.address_space<workgroup>>}}
  %3 = amdgpu.fat_raw_buffer_cast %p validBytes(%n) : memref<8xi32> to memref<8xi32, #amdgpu.address_space<fat_raw_buffer>> // expected-error {{'validBytes' must be i32 or i64, found i16}}
  %4 = amdgpu.fat_raw_buffer_cast %p cacheSwizzleStride(%s) : memref<8xi32> to memref<8xi32, #amdgpu.address_space<fat_raw_buffer>> // expected-error {{'cacheSwizzleStride' must be i14, found i32}}
  return
}

// -----

func.func @accesses(%m: memref<4x4xf32>, %w: memref<4xf32, #gpu.address_space<workgroup>>, %i: i32, %v: f32, %h: f16,
    %x: vector<8xf32>, %b: memref<4xi8>, %three: vector<5xi8>, %h4: memref<4xf16>, %d: memref<4xf64>, %f64: f64, %n: memref<4xi32>, %s: memref<4xi16>, %i16: i16) {
  %0 = amdgpu.raw_buffer_load boundsCheck(true) %m[%i] : memref<4x4xf32>, i32 -> f32 // expected-error {{expected 2 buffer indices, found 1}}
  %1 = amdgpu.raw_buffer_load boundsCheck(true) %w[%i] : memref<4xf32, #gpu.address_space<workgroup>>, i32 -> f32 // expected-error {{accesses global memory, found memref<4xf32, #gpu.address_space<workgroup>>}}
  %2 = amdgpu.raw_buffer_load boundsCheck(true) %m[%i, %i] : memref<4x4xf32>, i32, i32 -> f16 // expected-error {{moves elements of f32, found f16}}
  amdgpu.raw_buffer_store boundsCheck(true) %x -> %m[%i, %i] : vector<8xf32> -> memref<4x4xf32>, i32, i32 // expected-error {{moves up to 128 bits, in words above 32, vector<8xf32> has 256}}
  amdgpu.raw_buffer_store boundsCheck(true) %three -> %b[%i] : vector<5xi8> -> memref<4xi8>, i32 // expected-error {{moves up to 128 bits, in words above 32, vector<5xi8> has 40}}
  %3 = amdgpu.raw_buffer_atomic_fadd boundsCheck(true) %h -> %h4[%i] : f16 -> memref<4xf16>, i32 // expected-error {{takes f32 or vector<2xf16> or vector<2xbf16>, found f16}}
  %4 = amdgpu.raw_buffer_atomic_fadd boundsCheck(true) %f64 -> %d[%i] : f64 -> memref<4xf64>, i32 // expected-error {{takes f32 or vector<2xf16> or vector<2xbf16>, found f64}}
  %5 = amdgpu.raw_buffer_atomic_fmax boundsCheck(true) %h -> %h4[%i] : f16 -> memref<4xf16>, i32 // expected-error {{takes f32 or f64, found f16}}
  %6 = amdgpu.raw_buffer_atomic_smax boundsCheck(true) %i16 -> %s[%i] : i16 -> memref<4xi16>, i32 // expected-error {{takes i32, found i16}}
  %7 = amdgpu.raw_buffer_atomic_umin boundsCheck(true) %i16 -> %s[%i] : i16 -> memref<4xi16>, i32 // expected-error {{takes i32, found i16}}
  %8 = amdgpu.raw_buffer_atomic_cmpswap boundsCheck(true) %i16, %i16 -> %s[%i] : i16 -> memref<4xi16>, i32 // expected-error {{swaps a number of 32 or 64 bits, found i16}}
  %9 = "amdgpu.raw_buffer_load"(%m, %i, %i) <{boundsCheck = true, indexOffset = 1 : i64, operandSegmentSizes = array<i32: 1, 2, 0>}> : (memref<4x4xf32>, i32, i32) -> f32 // expected-error {{attribute 'indexOffset' must be of type i32, found 1 : i64}}
  %fat = amdgpu.fat_raw_buffer_cast %n : memref<4xi32> to memref<4xi32, #amdgpu.address_space<fat_raw_buffer>>
  %10 = amdgpu.raw_buffer_load boundsCheck(true) %fat[%i] : memref<4xi32, #amdgpu.address_space<fat_raw_buffer>>, i32 -> i32 // expected-error {{makes a raw buffer of what is none}}
  return
}
