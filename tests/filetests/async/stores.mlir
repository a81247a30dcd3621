// test roundtrip
// test run target=sm_90
// test run target=sm_90 M=29 N=40
// test run target=sm_90a M=70 N=72
// Each thread writes a column of two tiles of 32x64 halves, in turn, which the first one stores as boxes: what lies outside of
// %y is not written. Before the ring's two slots begin again, the store two iterations before has read its slot.
// Threads of a program say themselves where they meet. %z gets what %y has when the stores are there.
// expect sm_90: copies 1, barriers 3, shared bytes 8192
// lanewise.args M = 128, N = 64 : x = normal(128, 64), y = empty(M, N), z = empty(M, N) ; grid = 1
#swizzle = #iree_codegen.xor_shuffle<64, 8>
#space = #gpu.address_space<workgroup>
!box = !nvgpu.tensormap.descriptor<tensor = memref<32x64xf16, #space>, swizzle = swizzle_128b, l2promo = none, oob = zero,
  interleave = none>
gpu.func @ring(%x: memref<128x64xf16>, %y: memref<?x?xf16> {llvm.align = 16 : i64, lanewise.divisibility = array<i64: 1, 8>},
    %z: memref<?x?xf16>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  %map = nvgpu.tma.create.descriptor %y box[%c32, %c64] : memref<?x?xf16> -> !box
  nvgpu.tma.fence.descriptor %map : !box
  %s = memref.alloc() {iree_codegen.swizzle = #swizzle} : memref<2x32x64xf16, #space>
  scf.for %i = %c0 to %c128 step %c32 {
    %n = arith.divui %i, %c32 : index
    %slot = arith.remui %n, %c2 : index
    nvvm.cp.async.bulk.wait_group 1 read
    gpu.barrier
    scf.for %r = %c0 to %c32 step %c1 {
      %row = arith.addi %i, %r : index
      %v = memref.load %x[%row, %t] : memref<128x64xf16>
      memref.store %v, %s[%slot, %r, %t] : memref<2x32x64xf16, #space>
    }
    gpu.barrier
    nvgpu.tma.async.store %s[%slot, %c0, %c0] to %map[%c0, %i], predicate = %first : memref<2x32x64xf16, #space> -> !box
    nvvm.cp.async.bulk.commit.group
  }
  nvvm.cp.async.bulk.wait_group 0
  gpu.barrier
  %M = memref.dim %y, %c0 : memref<?x?xf16>
  %N = memref.dim %y, %c1 : memref<?x?xf16>
  %inside = arith.cmpi ult, %t, %N : index
  scf.if %inside {
    scf.for %r = %c0 to %M step %c1 {
      %v = memref.load %y[%r, %t] : memref<?x?xf16>
      memref.store %v, %z[%r, %t] : memref<?x?xf16>
    }
  }
  gpu.return
}
