// test roundtrip
// test run target=sm_90
// test run target=sm_90a N=8
// Rows 2 c and 2 c + 1 of %x are read once for the two workgroups of cluster c: each copies one of them for both, and
// both write both. One thread of each does it, by a predicate.
// lanewise.args N = 4 : x = normal(N, 64), y = empty(N, 2, 64) ; grid = N
#space = #gpu.address_space<workgroup>
!row = !nvgpu.tensormap.descriptor<tensor = memref<1x64xf32, #space>, swizzle = none, l2promo = none, oob = zero, interleave = none>
!one = !nvgpu.mbarrier.group<memorySpace = #space>
gpu.func @rows(%x: memref<?x64xf32> {llvm.align = 16 : i64}, %y: memref<?x2x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %both = arith.constant 3 : i16
  %bytes = arith.constant 512 : index
  %ticks = arith.constant 1000000 : index
  %even = arith.constant false
  %t = gpu.thread_id x
  %b = gpu.block_id x
  %rank = gpu.cluster_block_id x
  %first = arith.cmpi eq, %t, %c0 : index
  %map = nvgpu.tma.create.descriptor %x box[%c1, %c64] : memref<?x64xf32> -> !row
  %s = memref.alloc() {alignment = 128 : i64} : memref<2x64xf32, #space>
  %came = nvgpu.mbarrier.create -> !one
  nvgpu.mbarrier.init %came[%c0], %c1, predicate = %first : !one
  gpu.barrier scope <cluster>
  nvgpu.mbarrier.arrive.expect_tx %came[%c0], %bytes, predicate = %first : !one
  nvgpu.tma.async.load %map[%c0, %b], %came[%c0] to %s[%rank, %c0] multicast_mask = %both, predicate = %first
    : !row, !one -> memref<2x64xf32, #space>
  nvgpu.mbarrier.try_wait.parity %came[%c0], %even, %ticks : !one
  %u = memref.load %s[%c0, %t] : memref<2x64xf32, #space>
  %v = memref.load %s[%c1, %t] : memref<2x64xf32, #space>
  memref.store %u, %y[%b, %c0, %t] : memref<?x2x64xf32>
  memref.store %v, %y[%b, %c1, %t] : memref<?x2x64xf32>
  gpu.barrier scope <cluster>
  gpu.return
}
