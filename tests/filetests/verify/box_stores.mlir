// test verify
#space = #gpu.address_space<workgroup>
!box = !nvgpu.tensormap.descriptor<tensor = memref<32x64xf16, #space>, swizzle = none, l2promo = none, oob = zero,
  interleave = none>
func.func @stores(%map: !box, %tile: memref<32x64xf16, #space>, %other: memref<16x64xf16, #space>, %far: memref<32x64xf16>, %n: index) {
  // expected-error@+1 {{'nvgpu.tma.async.store' op needs 2 coordinates, found 1}}
  nvgpu.tma.async.store %tile to %map[%n] : memref<32x64xf16, #space> -> !box
  // expected-error@+1 {{'nvgpu.tma.async.store' op copies a box of [32, 64] elements, found memref<16x64xf16}}
  nvgpu.tma.async.store %other to %map[%n, %n] : memref<16x64xf16, #space> -> !box
  // expected-error@+1 {{'nvgpu.tma.async.store' op copies f16 from static workgroup memory, found memref<32x64xf16>}}
  nvgpu.tma.async.store %far to %map[%n, %n] : memref<32x64xf16> -> !box
  nvvm.cp.async.bulk.wait_group -1 // expected-error {{'nvvm.cp.async.bulk.wait_group' op leaves 0 groups or more, found -1}}
  // expected-error@+1 {{'nvgpu.tma.fence.descriptor' op operand 'tensorMapDescriptor' must be a !nvgpu.tensormap.descriptor, found index}}
  "nvgpu.tma.fence.descriptor"(%n) : (index) -> ()
  return
}
// -----
!two = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>, num_barriers = 2>
!far = !nvgpu.mbarrier.group<memorySpace = #nvvm.memory_space<shared_cluster>>
func.func @tokens(%own: !two, %far: !far, %n: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  // expected-error@+1 {{'nvgpu.mbarrier.arrive' op gives a token that is used, of objects in #gpu.address_space<workgroup> alone}}
  %there = nvgpu.mbarrier.arrive %far[%n] : !far -> !nvgpu.mbarrier.token
  %t = nvgpu.mbarrier.arrive %own[%n] : !two -> !nvgpu.mbarrier.token
  // expected-error@+1 {{'nvgpu.mbarrier.arrive.nocomplete' op arrives 1 to 1048575 times, found 0}}
  %u = nvgpu.mbarrier.arrive.nocomplete %own[%n], %c0 : !two -> !nvgpu.mbarrier.token
  // expected-error@+1 {{'nvgpu.mbarrier.arrive.nocomplete' op is of objects in #gpu.address_space<workgroup>, found}}
  %v = nvgpu.mbarrier.arrive.nocomplete %far[%n], %n : !far -> !nvgpu.mbarrier.token
  // expected-error@+1 {{'nvgpu.mbarrier.test.wait' op is of object 2, the group has 2}}
  %w = nvgpu.mbarrier.test.wait %own[%c2], %t : !two, !nvgpu.mbarrier.token
  // expected-error@+1 {{'nvgpu.mbarrier.test.wait' op is of objects in #gpu.address_space<workgroup>, found}}
  %x = nvgpu.mbarrier.test.wait %far[%n], %there : !far, !nvgpu.mbarrier.token
  // expected-error@+1 {{'nvgpu.mbarrier.get' op gives an address, another one on each executor}}
  %a = nvgpu.mbarrier.get %own[%n] : !two -> i64
  %b = arith.addi %a, %a : i64
  return
}
