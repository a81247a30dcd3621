// What a prefetch does not take.
// test verify
func.func @prefetches(%x: memref<64xf32>, %w: memref<64xf32, #gpu.address_space<workgroup>>, %i: i64) {
  amdgpu.global_prefetch %x[%i, %i] RT SE : memref<64xf32> // expected-error {{needs 1 indices for memref<64xf32>, found 2}}
  amdgpu.global_prefetch %w[%i] RT SE : memref<64xf32, #gpu.address_space<workgroup>> // expected-error {{prefetches from global memory}}
  amdgpu.global_prefetch %x[%i] NT_RT SE : memref<64xf32> // expected-error {{is not speculative, which goes with RT, HT, found NT_RT}}
  amdgpu.global_prefetch %x[%i] LU SE speculative : memref<64xf32> // expected-error {{is speculative, which goes with RT, HT, NT_RT, RT_NT, NT_HT, found LU}}
  return
}
