// Maps are fetched ahead, buffers by memref.prefetch.
// test verify
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  nvgpu.tma.prefetch.descriptor %x : memref<64xf32> // expected-error {{must be a !nvgpu.tensormap.descriptor}}
  gpu.return
}
