// A thread's id in a program of whole workgroups.
// test layout
gpu.func @k(%y: memref<64xindex>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %id = gpu.thread_id x // expected-error {{differs within a workgroup}}
  memref.store %id, %y[%id] : memref<64xindex>
  gpu.return
}
// -----
// A wave's matrix instruction, of what its lanes hold.
gpu.func @k(%y: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %a = arith.constant dense<1.0> : vector<4xf16>
  %c = arith.constant dense<1.0> : vector<4xf32>
  %d = amdgpu.mfma 16x16x16 %a * %a + %c : vector<4xf16>, vector<4xf16>, vector<4xf32> // expected-error {{differs within a workgroup}}
  gpu.return
}
