// test verify
#space = #gpu.address_space<workgroup>
#across = #nvvm.memory_space<shared_cluster>
func.func @map(%own: memref<8xf32, #space>, %far: memref<8xf32>, %rank: i32) {
  // expected-error@+1 {{'nvvm.mapa' op is of workgroup memory (#gpu.address_space<workgroup>), found memref<8xf32>}}
  %0 = nvvm.mapa %far, %rank : memref<8xf32> -> memref<8xf32, #across>
  // expected-error@+1 {{gives memref<8xf32, #nvvm.memory_space<shared_cluster>>, found memref<8xf32, #gpu.address_space<workgroup>>}}
  %1 = nvvm.mapa %own, %rank : memref<8xf32, #space> -> memref<8xf32, #space>
  return
}

// -----

!own = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>, num_barriers = 2>
!far = !nvgpu.mbarrier.group<memorySpace = #nvvm.memory_space<shared_cluster>, num_barriers = 2>
func.func @objects(%own: !own, %far: !far, %rank: i32, %n: index, %p: i1) {
  // expected-error@+1 {{gives !nvgpu.mbarrier.group<memorySpace = #nvvm.memory_space<shared_cluster>, num_barriers = 2>, found}}
  %0 = nvvm.mapa %own, %rank : !own -> !own
  // expected-error@+1 {{'nvgpu.mbarrier.init' op is of objects in #gpu.address_space<workgroup>, found !nvgpu.mbarrier.group}}
  nvgpu.mbarrier.init %far[%n], %n : !far
  // expected-error@+1 {{'nvgpu.mbarrier.try_wait.parity' op is of objects in #gpu.address_space<workgroup>, found}}
  nvgpu.mbarrier.try_wait.parity %far[%n], %p, %n : !far
  return
}

// -----

func.func @barrier() {
  // expected-error@+1 {{waits for the threads of a subgroup: only those of the workgroup, or of its cluster, can be waited for}}
  gpu.barrier scope <subgroup>
  return
}
