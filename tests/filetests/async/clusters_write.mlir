// test roundtrip
// test run target=sm_90
// test run target=sm_90 N=8
// Two workgroups side by side: each thread writes to the memory of the other workgroup, once it knows that this has
// begun, and reads what came when all have arrived. The result is the rows in the other order, two by two: two arrivals, two waits.
// expect sm_90: barriers 4, shared bytes 256
// lanewise.args N = 4 : x = normal(N, 64), y = empty(N, 64) ; grid = N
#space = #gpu.address_space<workgroup>
#across = #nvvm.memory_space<shared_cluster>
gpu.func @exchange(%x: memref<?x64xf32>, %y: memref<?x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>, lanewise.scope = "thread"} {
  %c1 = arith.constant 1 : i32
  nvvm.cluster.arrive.relaxed
  %t = gpu.thread_id x
  %b = gpu.block_id x
  %rank = gpu.cluster_block_id x
  %own = arith.index_cast %rank : index to i32
  %other = arith.xori %own, %c1 : i32
  %s = memref.alloc() : memref<64xf32, #space>
  %v = memref.load %x[%b, %t] : memref<?x64xf32>
  %theirs = nvvm.mapa %s, %other : memref<64xf32, #space> -> memref<64xf32, #across>
  nvvm.cluster.wait
  memref.store %v, %theirs[%t] : memref<64xf32, #across>
  nvvm.cluster.arrive aligned
  nvvm.cluster.wait aligned
  %w = memref.load %s[%t] : memref<64xf32, #space>
  memref.store %w, %y[%b, %t] : memref<?x64xf32>
  gpu.return
}
