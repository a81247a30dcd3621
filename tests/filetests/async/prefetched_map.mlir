// A tensor map that is fetched before the first copy takes it, by one thread; where the predicate does not hold, not at
// all. What the copy brings gives way first.
// test roundtrip
// test run target=sm_90a
// test run target=sm_90
// expect sm_90a: barriers 1, copies 1
// lanewise.args x = normal(32, 64), y = empty(32, 64), on = 1 ; grid = 1
#swizzle = #iree_codegen.xor_shuffle<64, 8>
#space = #gpu.address_space<workgroup>
!box = !nvgpu.tensormap.descriptor<tensor = memref<32x64xf16, #space>, swizzle = swizzle_128b, l2promo = none, oob = zero,
  interleave = none>
!one = !nvgpu.mbarrier.group<memorySpace = #space>
gpu.func @fetched(%x: memref<32x64xf16> {llvm.align = 16 : i64}, %y: memref<32x64xf16>, %on: i1) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %bytes = arith.constant 4096 : index
  %ticks = arith.constant 1000000 : index
  %even = arith.constant false
  %pad = arith.constant 0.0 : f16
  %map = nvgpu.tma.create.descriptor %x box[%c32, %c64] : memref<32x64xf16> -> !box
  nvgpu.tma.prefetch.descriptor %map : !box
  nvgpu.tma.prefetch.descriptor %map, predicate = %on : !box
  %s = memref.alloc() {iree_codegen.swizzle = #swizzle} : memref<32x64xf16, #space>
  %came = nvgpu.mbarrier.create -> !one
  nvgpu.mbarrier.init %came[%c0], %c1 : !one
  gpu.barrier
  nvgpu.mbarrier.arrive.expect_tx %came[%c0], %bytes : !one
  nvgpu.tma.async.load %map[%c0, %c0], %came[%c0] to %s {lanewise.evict_priority = "evict_first"} : !box, !one -> memref<32x64xf16, #space>
  nvgpu.mbarrier.try_wait.parity %came[%c0], %even, %ticks : !one
  %v = vector.transfer_read %s[%c0, %c0], %pad {in_bounds = [true, true]} : memref<32x64xf16, #space>, vector<32x64xf16>
  vector.transfer_write %v, %y[%c0, %c0] {in_bounds = [true, true]} : vector<32x64xf16>, memref<32x64xf16>
  gpu.return
}
