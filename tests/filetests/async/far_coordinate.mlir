// test run target=sm_90
// test run target=sm_90 FAR=0
// test run target=sm_90 FAR=4294967304
// A box that begins at column %o, which 32 bits need not hold: what lies outside of %x is zero. What stands for a column so far
// away is a multiple of 16 bytes, as the chip wants it.
// lanewise.args FAR = 8589934592 : x = normal(8, 64), y = empty(8, 64), o = FAR - 4294967296 ; grid = 1
#space = #gpu.address_space<workgroup>
!box = !nvgpu.tensormap.descriptor<tensor = memref<8x64xf16, #space>, swizzle = none, l2promo = none, oob = zero,
  interleave = none>
!one = !nvgpu.mbarrier.group<memorySpace = #space>
gpu.func @far(%x: memref<8x64xf16> {llvm.align = 16 : i64}, %y: memref<8x64xf16>, %o: index) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %bytes = arith.constant 1024 : index
  %ticks = arith.constant 1000000 : index
  %even = arith.constant false
  %t = gpu.thread_id x
  %map = nvgpu.tma.create.descriptor %x box[%c8, %c64] : memref<8x64xf16> -> !box
  %s = memref.alloc() {alignment = 128 : i64} : memref<8x64xf16, #space>
  %came = nvgpu.mbarrier.create -> !one
  %first = arith.cmpi eq, %t, %c0 : index
  nvgpu.mbarrier.init %came[%c0], %c1, predicate = %first : !one
  gpu.barrier
  scf.if %first {
    nvgpu.mbarrier.arrive.expect_tx %came[%c0], %bytes : !one
    nvgpu.tma.async.load %map[%o, %c0], %came[%c0] to %s : !box, !one -> memref<8x64xf16, #space>
  }
  nvgpu.mbarrier.try_wait.parity %came[%c0], %even, %ticks : !one
  scf.for %r = %c0 to %c8 step %c1 {
    %v = memref.load %s[%r, %t] : memref<8x64xf16, #space>
    memref.store %v, %y[%r, %t] : memref<8x64xf16>
  }
  gpu.return
}
