// A thread's id in a program of whole workgroups.
// test layout
gpu.func @k(%y: memref<64xindex>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %id = gpu.thread_id x // expected-error {{differs within a workgroup}}
  memref.store %id, %y[%id] : memref<64xindex>
  gpu.return
}
