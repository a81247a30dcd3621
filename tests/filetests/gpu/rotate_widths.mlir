// Lanes rotate within their subgroup.
// test compile target=sm_90
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %t = gpu.thread_id x
  %v = memref.load %x[%t] : memref<64xf32>
  %r, %ok = gpu.rotate %v, 1, 64 : f32 // expected-error {{rotates among 64 lanes, found subgroups of 32}}
  memref.store %r, %x[%t] : memref<64xf32>
  gpu.return
}
