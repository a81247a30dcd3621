// test roundtrip
// The operations on barrier objects and boxes with everything that upstream's may have.
#space = #gpu.address_space<workgroup>
!box = !nvgpu.tensormap.descriptor<tensor = memref<32x64xf16, #space>, swizzle = swizzle_128b, l2promo = none, oob = zero,
  interleave = none>
!two = !nvgpu.mbarrier.group<memorySpace = #space, num_barriers = 2>
func.func @all(%map: !box, %tile: memref<32x64xf16, #space>, %came: !two, %n: index, %ranks: i16, %p: i1) {
  nvgpu.mbarrier.init %came[%n], %n : !two
  nvgpu.mbarrier.init %came[%n], %n, predicate = %p : !two
  nvgpu.mbarrier.arrive.expect_tx %came[%n], %n : !two
  nvgpu.mbarrier.arrive.expect_tx %came[%n], %n, predicate = %p : !two
  nvgpu.tma.async.load %map[%n, %n], %came[%n] to %tile : !box, !two -> memref<32x64xf16, #space>
  nvgpu.tma.async.load %map[%n, %n], %came[%n] to %tile multicast_mask = %ranks : !box, !two -> memref<32x64xf16, #space>
  nvgpu.tma.async.load %map[%n, %n], %came[%n] to %tile, predicate = %p : !box, !two -> memref<32x64xf16, #space>
  nvgpu.tma.async.load %map[%n, %n], %came[%n] to %tile multicast_mask = %ranks, predicate = %p : !box, !two -> memref<32x64xf16, #space>
  nvgpu.mbarrier.try_wait.parity %came[%n], %p, %n : !two
  %token = nvgpu.mbarrier.arrive %came[%n] : !two -> !nvgpu.mbarrier.token
  %early = nvgpu.mbarrier.arrive.nocomplete %came[%n], %n : !two -> !nvgpu.mbarrier.token
  %over = nvgpu.mbarrier.test.wait %came[%n], %token : !two, !nvgpu.mbarrier.token
  %address = nvgpu.mbarrier.get %came[%n] : !two -> i64
  %low = nvgpu.mbarrier.get %came[%n] : !two -> i32
  nvgpu.tma.fence.descriptor %map : !box
  nvgpu.tma.async.store %tile to %map[%n, %n] : memref<32x64xf16, #space> -> !box
  nvgpu.tma.async.store %tile to %map[%n, %n], predicate = %p : memref<32x64xf16, #space> -> !box
  nvvm.cp.async.bulk.commit.group
  nvvm.cp.async.bulk.wait_group 0
  nvvm.cp.async.bulk.wait_group 3 read
  nvvm.cluster.arrive
  nvvm.cluster.arrive aligned
  nvvm.cluster.arrive.relaxed aligned
  nvvm.cluster.wait
  nvvm.cluster.wait {aligned}
  gpu.barrier scope <cluster>
  return
}
