// What a grid does about others: nothing else than these two.
// test verify
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  nvvm.griddepcontrol wait
  nvvm.griddepcontrol launch // expected-error {{waits or launches dependents, found launch}}
  gpu.return
}
