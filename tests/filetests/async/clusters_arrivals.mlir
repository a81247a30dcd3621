// test roundtrip
// test run target=sm_90
// Each thread writes to the memory of the other workgroup, and arrives at its object: who waits there may read. At the
// end nobody leaves before the other has read.
// lanewise.args N = 4 : x = normal(N, 64), y = empty(N, 64) ; grid = N
#space = #gpu.address_space<workgroup>
#across = #nvvm.memory_space<shared_cluster>
!one = !nvgpu.mbarrier.group<memorySpace = #space>
!theirs = !nvgpu.mbarrier.group<memorySpace = #nvvm.memory_space<shared_cluster>>
gpu.func @tell(%x: memref<?x64xf32>, %y: memref<?x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i32
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %ticks = arith.constant 1000000 : index
  %even = arith.constant false
  %t = gpu.thread_id x
  %b = gpu.block_id x
  %rank = gpu.cluster_block_id x
  %own = arith.index_cast %rank : index to i32
  %other = arith.xori %own, %c1 : i32
  %first = arith.cmpi eq, %t, %c0 : index
  %s = memref.alloc() : memref<64xf32, #space>
  %told = nvgpu.mbarrier.create -> !one
  nvgpu.mbarrier.init %told[%c0], %c64, predicate = %first : !one
  gpu.barrier scope <cluster>
  %there = nvvm.mapa %s, %other : memref<64xf32, #space> -> memref<64xf32, #across>
  %object = nvvm.mapa %told, %other : !one -> !theirs
  %v = memref.load %x[%b, %t] : memref<?x64xf32>
  memref.store %v, %there[%t] : memref<64xf32, #across>
  %token = nvgpu.mbarrier.arrive %object[%c0] : !theirs -> !nvgpu.mbarrier.token
  nvgpu.mbarrier.try_wait.parity %told[%c0], %even, %ticks : !one
  %back = arith.subi %c63, %t : index
  %w = memref.load %s[%back] : memref<64xf32, #space>
  memref.store %w, %y[%b, %t] : memref<?x64xf32>
  gpu.barrier scope <cluster>
  gpu.return
}
