// What copies of gfx1250 and waits for them do not take.
// test verify
#space = #gpu.address_space<workgroup>
#resource = #amdgpu.address_space<fat_raw_buffer>
func.func @copies(%a: memref<64x64xf16>, %s: memref<64x64xf16, #space>, %x: memref<64x64xf32>, %buffer: memref<64x64xf16, #resource>,
                  %far: memref<64x64xf16, strided<[1, 64]>, #space>, %i: index, %n: i32) {
  amdgpu.global_load_async_to_lds %a[%i, %i], %s[%i, %i] : vector<8xf16>, memref<64x64xf16>, memref<64x64xf16, #space>
  // expected-error@+1 {{copies 1, 4, 8, 16 bytes, f16 has 2}}
  amdgpu.global_load_async_to_lds %a[%i, %i], %s[%i, %i] : f16, memref<64x64xf16>, memref<64x64xf16, #space>
  // expected-error@+1 {{transfers f16 or a vector of them, found vector<2xf32>}}
  amdgpu.global_load_async_to_lds %a[%i, %i], %s[%i, %i] : vector<2xf32>, memref<64x64xf16>, memref<64x64xf16, #space>
  // expected-error@+1 {{element types differ: memref<64x64xf32> and memref<64x64xf16, #gpu.address_space<workgroup>>}}
  amdgpu.global_load_async_to_lds %x[%i, %i], %s[%i, %i] : vector<2xf16>, memref<64x64xf32>, memref<64x64xf16, #space>
  // expected-error@+1 {{copies from global memory, found memref<64x64xf16, #gpu.address_space<workgroup>>}}
  amdgpu.global_load_async_to_lds %s[%i, %i], %s[%i, %i] : vector<2xf16>, memref<64x64xf16, #space>, memref<64x64xf16, #space>
  // expected-error@+1 {{copies from global memory, which has no resource, found memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>}}
  amdgpu.global_load_async_to_lds %buffer[%i, %i], %s[%i, %i] : vector<2xf16>, memref<64x64xf16, #resource>, memref<64x64xf16, #space>
  // expected-error@+1 {{copies to workgroup memory (#gpu.address_space<workgroup>), found memref<64x64xf16>}}
  amdgpu.global_load_async_to_lds %a[%i, %i], %a[%i, %i] : vector<2xf16>, memref<64x64xf16>, memref<64x64xf16>
  // expected-error@+1 {{needs a destination whose last dimension has stride 1}}
  amdgpu.global_load_async_to_lds %a[%i, %i], %far[%i, %i] : vector<2xf16>, memref<64x64xf16>, memref<64x64xf16, strided<[1, 64]>, #space>
  // expected-error@+1 {{needs 2 indices for memref<64x64xf16>, found 1}}
  amdgpu.global_load_async_to_lds %a[%i], %s[%i, %i] : vector<2xf16>, memref<64x64xf16>, memref<64x64xf16, #space>
  // expected-error@+1 {{operand 'mask' must be i1, found i32}}
  amdgpu.global_load_async_to_lds %a[%i, %i], %s[%i, %i], %n : vector<2xf16>, memref<64x64xf16>, memref<64x64xf16, #space>
  rocdl.s.wait.asynccnt 63
  // expected-error@+1 {{leaves at least 0, found -1}}
  rocdl.s.wait.asynccnt -1
  // expected-error@+1 {{attribute 'count' must be of type i16, found 1 : i32}}
  "rocdl.s.wait.asynccnt"() {count = 1 : i32} : () -> ()
  return
}
