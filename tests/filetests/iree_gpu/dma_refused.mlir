// test compile target=sm_90
#group = #gpu.address_space<workgroup>
gpu.func @of_a_subgroup(%x: memref<4x64xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "subgroup"} {
  %c0 = arith.constant 0 : index
  %s = memref.alloc() : memref<4x64xf16, #group>
  // expected-error@+1 {{is of all threads of a workgroup, and stands in a program of subgroups}}
  iree_gpu.async_dma %x[%c0, %c0] to %s[%c0, %c0], vector<4x64xf16> : memref<4x64xf16>, memref<4x64xf16, #group>
  gpu.return
}
// -----
#group = #gpu.address_space<workgroup>
gpu.func @of_a_workgroup(%x: memref<4x64xf16>, %l: index) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %s = memref.alloc() : memref<4x64xf16, #group>
  // expected-error@+1 {{is of lanes, and stands in the program of a workgroup}}
  iree_gpu.coalesced_gather_dma %x into %s lane(%l) : memref<4x64xf16>, memref<4x64xf16, #group>, index
  gpu.return
}
// -----
gpu.func @outside(%x: memref<4x64xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %l = gpu.lane_id
  %t = bufferization.to_tensor %x : memref<4x64xf16> to tensor<4x64xf16>
  %e = tensor.empty() : tensor<4x64xf16>
  // expected-error@+1 {{gives a tensor of a subgroup, which lanewise has no place for}}
  %r = iree_gpu.coalesced_gather_dma %t into %e lane(%l) : tensor<4x64xf16>, tensor<4x64xf16>, index -> tensor<4x64xf16>
  bufferization.materialize_in_destination %r in writable %x : (tensor<4x64xf16>, memref<4x64xf16>) -> ()
  gpu.return
}
// -----
#group = #gpu.address_space<workgroup>
gpu.func @nibbles(%x: memref<4x3xi4>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %l = gpu.lane_id
  %s = memref.alloc() : memref<4x3xi4, #group>
  // expected-error@+1 {{copies single elements of 4 bits: two threads would write one byte}}
  iree_gpu.coalesced_gather_dma %x into %s lane(%l) : memref<4x3xi4>, memref<4x3xi4, #group>, index
  gpu.return
}
