#swizzle = #iree_codegen.xor_shuffle<64, 8>
#space = #gpu.address_space<workgroup>
!box = !nvgpu.tensormap.descriptor<tensor = memref<32x64xf16, #space>, swizzle = swizzle_128b, l2promo = none, oob = zero,
  interleave = none>
!two = !nvgpu.mbarrier.group<memorySpace = #space, num_barriers = 2>
gpu.func @two_boxes(%x: memref<?x?xf16> {llvm.align = 16 : i64, lanewise.divisibility = array<i64: 1, 8>}, %y: memref<64x64xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %bytes = arith.constant 4096 : index
  %ticks = arith.constant 1000000 : index
  %even = arith.constant false
  %t = gpu.thread_id x
  %map = nvgpu.tma.create.descriptor %x box[%c32, %c64] : memref<?x?xf16> -> !box
  %s = memref.alloc() {iree_codegen.swizzle = #swizzle} : memref<2x32x64xf16, #space>
  %came = nvgpu.mbarrier.create -> !two
  %first = arith.cmpi eq, %t, %c0 : index
  scf.if %first {
    nvgpu.mbarrier.init %came[%c0], %c1 : !two
    nvgpu.mbarrier.init %came[%c1], %c1 : !two
  }
  gpu.barrier
  scf.if %first {
    nvgpu.mbarrier.arrive.expect_tx %came[%c0], %bytes : !two
    nvgpu.tma.async.load %map[%c0, %c0], %came[%c0] to %s[%c0, %c0, %c0] : !box, !two -> memref<2x32x64xf16, #space>
    nvgpu.mbarrier.arrive.expect_tx %came[%c1], %bytes : !two
    nvgpu.tma.async.load %map[%c0, %c32], %came[%c1] to %s[%c1, %c0, %c0] : !box, !two -> memref<2x32x64xf16, #space>
  }
  scf.for %i = %c0 to %c2 step %c1 {
    nvgpu.mbarrier.try_wait.parity %came[%i], %even, %ticks : !two
    %down = arith.muli %i, %c32 : index
    scf.for %r = %c0 to %c32 step %c1 {
      %row = arith.addi %down, %r : index
      %v = memref.load %s[%i, %r, %t] : memref<2x32x64xf16, #space>
      memref.store %v, %y[%row, %t] : memref<64x64xf16>
    }
  }
  gpu.return
}
