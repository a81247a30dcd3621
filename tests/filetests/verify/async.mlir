// test verify
func.func @f(%a: memref<64x64xf16>, %b: memref<64x64xf32>, %s: memref<64x64xf16, #gpu.address_space<workgroup>>,
             %far: memref<64x64xf16, strided<[1, 64]>>, %i: index, %on: i1) {
  %ok = nvgpu.device_async_copy %a[%i, %i], %s[%i, %i], 8, %i bypassL1 : memref<64x64xf16> to memref<64x64xf16, #gpu.address_space<workgroup>>
  %group = nvgpu.device_async_create_group %ok
  nvgpu.device_async_wait %group {numGroups = 2 : i32}
  // expected-error@+1 {{copies 4, 8 or 16 bytes, 3 elements of f16 are 6}}
  %0 = nvgpu.device_async_copy %a[%i, %i], %s[%i, %i], 3 : memref<64x64xf16> to memref<64x64xf16, #gpu.address_space<workgroup>>
  // expected-error@+1 {{copies 16 bytes where it has bypassL1, found 8}}
  %1 = nvgpu.device_async_copy %a[%i, %i], %s[%i, %i], 4 bypassL1 : memref<64x64xf16> to memref<64x64xf16, #gpu.address_space<workgroup>>
  // expected-error@+1 {{needs 2 indices for memref<64x64xf16>, found 1}}
  %2 = nvgpu.device_async_copy %a[%i], %s[%i, %i], 8 : memref<64x64xf16> to memref<64x64xf16, #gpu.address_space<workgroup>>
  // expected-error@+1 {{element types differ: memref<64x64xf32> and memref<64x64xf16, #gpu.address_space<workgroup>>}}
  %3 = nvgpu.device_async_copy %b[%i, %i], %s[%i, %i], 8 : memref<64x64xf32> to memref<64x64xf16, #gpu.address_space<workgroup>>
  // expected-error@+1 {{copies to workgroup memory (#gpu.address_space<workgroup>), found memref<64x64xf16>}}
  %4 = nvgpu.device_async_copy %a[%i, %i], %a[%i, %i], 8 : memref<64x64xf16> to memref<64x64xf16>
  // expected-error@+1 {{copies from global memory, found memref<64x64xf16, #gpu.address_space<workgroup>>}}
  %5 = nvgpu.device_async_copy %s[%i, %i], %s[%i, %i], 8 : memref<64x64xf16, #gpu.address_space<workgroup>> to memref<64x64xf16, #gpu.address_space<workgroup>>
  // expected-error@+1 {{needs a source whose last dimension has stride 1}}
  %6 = nvgpu.device_async_copy %far[%i, %i], %s[%i, %i], 8 : memref<64x64xf16, strided<[1, 64]>> to memref<64x64xf16, #gpu.address_space<workgroup>>
  // expected-error@+1 {{numGroups must be a number of at least 0 of type i32, found -1 : i32}}
  nvgpu.device_async_wait %group {numGroups = -1 : i32}
  // expected-error@+1 {{attribute 'numGroups' must be of type i32, found 1 : i64}}
  nvgpu.device_async_wait %group {numGroups = 1 : i64}
  // expected-error@+1 {{operand 'asyncDependencies' must be !nvgpu.device.async.token, found index}}
  nvgpu.device_async_wait %i
  // expected-error@+1 {{operand 'inputTokens' must be !nvgpu.device.async.token, found index}}
  %7 = nvgpu.device_async_create_group %i
  return
}
// -----
func.func @g(%a: memref<64x64xf16>, %s: memref<64x32xf16, #gpu.address_space<workgroup>>, %i: index, %on: i1) {
  %ok = lanewise.async_copy %a[%i, %i], %s[%i, %i] if %on {shape = array<i64: 64, 32>, in_bounds = [true, false]} : memref<64x64xf16> to memref<64x32xf16, #gpu.address_space<workgroup>>
  %group = nvgpu.device_async_create_group %ok
  // expected-error@+1 {{shape must have 1 to 2 extents of at least 1, found [1, 64, 32]}}
  %0 = lanewise.async_copy %a[%i, %i], %s[%i, %i] {shape = array<i64: 1, 64, 32>} : memref<64x64xf16> to memref<64x32xf16, #gpu.address_space<workgroup>>
  // expected-error@+1 {{copies [64, 64] elements, 4096 in all, to memref<64x32xf16, #gpu.address_space<workgroup>>}}
  %1 = lanewise.async_copy %a[%i, %i], %s[%i, %i] {shape = array<i64: 64, 64>} : memref<64x64xf16> to memref<64x32xf16, #gpu.address_space<workgroup>>
  // expected-error@+1 {{in_bounds must be a list of 2 times true or false, found [true]}}
  %2 = lanewise.async_copy %a[%i, %i], %s[%i, %i] {shape = array<i64: 64, 32>, in_bounds = [true]} : memref<64x64xf16> to memref<64x32xf16, #gpu.address_space<workgroup>>
  // expected-error@+1 {{has a token for a nvgpu.device_async_create_group in the same block, found 'nvgpu.device_async_wait'}}
  %3 = lanewise.async_copy %a[%i, %i], %s[%i, %i] {shape = array<i64: 64, 32>} : memref<64x64xf16> to memref<64x32xf16, #gpu.address_space<workgroup>>
  nvgpu.device_async_wait %3
  return
}
