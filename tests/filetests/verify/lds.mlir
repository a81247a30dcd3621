// test verify
#space = #gpu.address_space<workgroup>
#resource = #amdgpu.address_space<fat_raw_buffer>
#wide = #iree_codegen.xor_shuffle<64, 8>
func.func @gather(%a: memref<64x64xf16>, %s: memref<64x64xf16, #space>, %any: memref<64x?xf16, #space>, %x: memref<64x64xf32>,
                  %buffer: memref<64x64xf16, #resource>, %i: index) {
  amdgpu.gather_to_lds async %a[%i, %i], %s[%i, %i] : vector<8xf16>, memref<64x64xf16>, memref<64x64xf16, #space>
  amdgpu.gather_to_lds %a[%i, %i], %s[%i, %i] : vector<8xf16>, memref<64x64xf16>, memref<64x64xf16, #space>
  amdgpu.gather_to_lds %buffer[%i, %i], %s[%i, %i] : vector<8xf16>, memref<64x64xf16, #resource>, memref<64x64xf16, #space>
  // expected-error@+1 {{copies 1, 2, 4, 12, 16 bytes, vector<4xf16> has 8}}
  amdgpu.gather_to_lds async %a[%i, %i], %s[%i, %i] : vector<4xf16>, memref<64x64xf16>, memref<64x64xf16, #space>
  // expected-error@+1 {{transfers f16 or a vector of them, found vector<4xf32>}}
  amdgpu.gather_to_lds async %a[%i, %i], %s[%i, %i] : vector<4xf32>, memref<64x64xf16>, memref<64x64xf16, #space>
  // expected-error@+1 {{copies to a buffer of known strides, found memref<64x?xf16, #gpu.address_space<workgroup>>}}
  amdgpu.gather_to_lds async %a[%i, %i], %any[%i, %i] : vector<8xf16>, memref<64x64xf16>, memref<64x?xf16, #space>
  // expected-error@+1 {{copies from global memory, found memref<64x64xf16, #gpu.address_space<workgroup>>}}
  amdgpu.gather_to_lds %s[%i, %i], %s[%i, %i] : vector<8xf16>, memref<64x64xf16, #space>, memref<64x64xf16, #space>
  // expected-error@+1 {{needs 2 indices for memref<64x64xf16>, found 1}}
  amdgpu.gather_to_lds async %a[%i], %s[%i, %i] : vector<8xf16>, memref<64x64xf16>, memref<64x64xf16, #space>
  %mixed = memref.alloc() {iree_codegen.swizzle = #wide} : memref<64x64xf16, #space>
  %view = memref.cast %mixed : memref<64x64xf16, #space> to memref<64x64xf16, #space>
  // expected-error@+1 {{copies to a view of a buffer whose elements have an order of their own}}
  amdgpu.gather_to_lds async %a[%i, %i], %view[%i, %i] : vector<8xf16>, memref<64x64xf16>, memref<64x64xf16, #space>
  return
}
// -----
func.func @transpose(%a: memref<64x64xf16>, %s: memref<64x64xf16, #gpu.address_space<workgroup>>,
                     %w: memref<64x64xf32, #gpu.address_space<workgroup>>,
                     %far: memref<64x64xf16, strided<[1, 64]>, #gpu.address_space<workgroup>>, %i: index) {
  %ok = amdgpu.transpose_load %s[%i, %i] : memref<64x64xf16, #gpu.address_space<workgroup>> -> vector<4xf16>
  // expected-error@+1 {{needs 2 indices for memref<64x64xf16, #gpu.address_space<workgroup>>, found 1}}
  %0 = amdgpu.transpose_load %s[%i] : memref<64x64xf16, #gpu.address_space<workgroup>> -> vector<4xf16>
  // expected-error@+1 {{reads workgroup memory (#gpu.address_space<workgroup>), found memref<64x64xf16>}}
  %1 = amdgpu.transpose_load %a[%i, %i] : memref<64x64xf16> -> vector<4xf16>
  // expected-error@+1 {{gives each lane 4 elements of 16 bits, found vector<8xf16>}}
  %2 = amdgpu.transpose_load %s[%i, %i] : memref<64x64xf16, #gpu.address_space<workgroup>> -> vector<8xf16>
  // expected-error@+1 {{gives each lane 4 elements of 16 bits, found vector<4xf32>}}
  %3 = amdgpu.transpose_load %w[%i, %i] : memref<64x64xf32, #gpu.address_space<workgroup>> -> vector<4xf32>
  // expected-error@+1 {{element types differ: memref<64x64xf16, #gpu.address_space<workgroup>> and vector<4xbf16>}}
  %4 = amdgpu.transpose_load %s[%i, %i] : memref<64x64xf16, #gpu.address_space<workgroup>> -> vector<4xbf16>
  // expected-error@+1 {{needs a memref whose last dimension has stride 1}}
  %5 = amdgpu.transpose_load %far[%i, %i] : memref<64x64xf16, strided<[1, 64]>, #gpu.address_space<workgroup>> -> vector<4xf16>
  // expected-error@+1 {{operand 'src' must be a memref, found index}}
  %6 = "amdgpu.transpose_load"(%i, %i) : (index, index) -> vector<4xf16>
  return
}
// -----
func.func @wait() {
  amdgpu.memory_counter_wait load(3)
  // expected-error@+1 {{load must be a number of at least 0 of type i32, found -1 : i32}}
  amdgpu.memory_counter_wait load(-1)
  return
}
// -----
func.func @other_counters() {
  // expected-error@+1 {{'amdgpu.memory_counter_wait' waits for load and tensor, other counters are not supported}}
  amdgpu.memory_counter_wait ds(0)
  return
}
// -----
func.func @more_counters() {
  // expected-error@+1 {{'amdgpu.memory_counter_wait' waits for load and tensor, other counters are not supported}}
  amdgpu.memory_counter_wait load(0) store(0)
  return
}
// -----
func.func @twice() {
  // expected-error@+1 {{'load' is given twice}}
  amdgpu.memory_counter_wait load(0) load(0)
  return
}
