// test layout target=sm_80
// expected-error@+1 {{lanewise.persist must be true or a number of workgroups, 1 to 65535, found false}}
gpu.func @f(%y: memref<2xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.persist = false} {
  gpu.return
}
// -----
module attributes {lanewise.stage = "layout"} {
  // expected-error@+1 {{has 'lanewise.persist', which is read in the vector stage, not in the layout stage}}
  gpu.func @f(%y: memref<2xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.persist = 2} {
    gpu.return
  }
}
// -----
// expected-error@+2 {{kernel '@f' has lanewise.persist: it is of programs of workgroups, this one is a thread's}}
gpu.func @f(%y: memref<2xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread",
    lanewise.persist = 2} {
  gpu.return
}
// -----
// expected-error@+2 {{kernel '@f' has lanewise.persist: what a workgroup has once would be made for each place}}
gpu.func @f(%y: memref<2xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>,
    lanewise.persist = 2} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = nvgpu.mbarrier.create -> !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
  nvgpu.mbarrier.init %m[%c0], %c1 : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
  gpu.return
}
