// test roundtrip
// test run target=sm_90a
// Four subgroups copy four boxes of 32x64 halves into a ring of two, one box before the other is read; four others write what
// they read to %y. An object of each slot counts its bytes, another one the subgroups that have read it.
// A box stands in the loop of those that copy; all meet behind the objects.
// expect sm_90a: copies 1, barriers 1, shared bytes 8224
// lanewise.args x = normal(128, 64), y = empty(128, 64) ; grid = 1
#swizzle = #iree_codegen.xor_shuffle<64, 8>
#space = #gpu.address_space<workgroup>
!box = !nvgpu.tensormap.descriptor<tensor = memref<32x64xf16, #space>, swizzle = swizzle_128b, l2promo = none, oob = zero,
  interleave = none>
!two = !nvgpu.mbarrier.group<memorySpace = #space, num_barriers = 2>
gpu.func @parts(%x: memref<128x64xf16> {llvm.align = 16 : i64}, %y: memref<128x64xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>, lanewise.subgroup_size = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %bytes = arith.constant 4096 : index
  %ticks = arith.constant 1000000 : index
  %pad = arith.constant 0.0 : f16
  %map = nvgpu.tma.create.descriptor %x box[%c32, %c64] : memref<128x64xf16> -> !box
  %s = memref.alloc() {iree_codegen.swizzle = #swizzle} : memref<2x32x64xf16, #space>
  %came = nvgpu.mbarrier.create -> !two
  %read = nvgpu.mbarrier.create -> !two
  nvgpu.mbarrier.init %came[%c0], %c1 : !two
  nvgpu.mbarrier.init %came[%c1], %c1 : !two
  nvgpu.mbarrier.init %read[%c0], %c4 : !two
  nvgpu.mbarrier.init %read[%c1], %c4 : !two
  gpu.barrier
  lanewise.split {subgroups = array<i64: 4, 4>} {
    nvvm.setmaxregister decrease 128
    scf.for %i = %c0 to %c128 step %c32 {
      %n = arith.divui %i, %c32 : index
      %slot = arith.remui %n, %c2 : index
      %round = arith.divui %n, %c2 : index
      %odd = arith.cmpi eq, %round, %c1 : index
      nvgpu.mbarrier.try_wait.parity %came[%slot], %odd, %ticks : !two
      %v = vector.transfer_read %s[%slot, %c0, %c0], %pad {in_bounds = [true, true]}
        : memref<2x32x64xf16, #space>, vector<32x64xf16>
      %t = nvgpu.mbarrier.arrive %read[%slot] : !two -> !nvgpu.mbarrier.token
      vector.transfer_write %v, %y[%i, %c0] {in_bounds = [true, true]} : vector<32x64xf16>, memref<128x64xf16>
    }
  } {
    nvvm.setmaxregister decrease 24
    scf.for %i = %c0 to %c128 step %c32 {
      %n = arith.divui %i, %c32 : index
      %slot = arith.remui %n, %c2 : index
      %round = arith.divui %n, %c2 : index
      %even = arith.cmpi eq, %round, %c0 : index
      nvgpu.mbarrier.try_wait.parity %read[%slot], %even, %ticks : !two
      nvgpu.mbarrier.arrive.expect_tx %came[%slot], %bytes : !two
      nvgpu.tma.async.load %map[%c0, %i], %came[%slot] to %s[%slot, %c0, %c0] : !box, !two -> memref<2x32x64xf16, #space>
    }
  }
  gpu.return
}
