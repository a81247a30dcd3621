// What is wrong with an arrival, and with a number of registers.
// test verify
!two = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>, num_barriers = 2>
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c2 = arith.constant 2 : index
  %b = nvgpu.mbarrier.create -> !two
  %t = nvgpu.mbarrier.arrive %b[%c2] : !two -> !nvgpu.mbarrier.token // expected-error {{is of object 2, the group has 2}}
  nvvm.setmaxregister decrease 41 // expected-error {{takes a multiple of 8 from 24 to 256, found 41}}
  nvvm.setmaxregister increase 264 // expected-error {{takes a multiple of 8 from 24 to 256, found 264}}
  nvvm.setmaxregister halve 64 // expected-error {{increases or decreases, found halve}}
  gpu.return
}
