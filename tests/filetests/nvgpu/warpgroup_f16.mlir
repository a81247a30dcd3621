// test roundtrip
// test run target=sm_90a
// test run target=sm_90a K=192
// A whole product as people write it by hand: one thread has boxes of A and B copied to two stages, four subgroups multiply them
// as they come and store the sums. Tile k + 2 follows where tile k was once the product on it is over, which the next
// one's begin says of all but itself.
// A tile takes 2 times 64 rows and 4 times 16 along K; two sums that lie side by side are stored at once: 128 * 128 / 128 / 2.
// expect sm_90a: mma 8, stores 64, loads 0
// lanewise.args K = 256 : a = normal(128, K), b = normal(K, 128), d = empty(128, 128) ; grid = 1
#swizzle = #iree_codegen.xor_shuffle<64, 8>
#space = #gpu.address_space<workgroup>
!a_box = !nvgpu.tensormap.descriptor<tensor = memref<128x64xf16, #space>, swizzle = swizzle_128b, l2promo = none, oob = zero,
  interleave = none>
!b_box = !nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, #space>, swizzle = swizzle_128b, l2promo = none, oob = zero,
  interleave = none>
!two = !nvgpu.mbarrier.group<memorySpace = #space, num_barriers = 2>
!a_tile = !nvgpu.warpgroup.descriptor<tensor = memref<128x64xf16, #space>>
!b_tile = !nvgpu.warpgroup.descriptor<tensor = memref<64x128xf16, #space>>
!sums = !nvgpu.warpgroup.accumulator<fragmented = vector<128x128xf32>>
gpu.func @product(%a: memref<128x?xf16> {llvm.align = 16 : i64, lanewise.divisibility = array<i64: 1, 64>},
    %b: memref<?x128xf16> {llvm.align = 16 : i64, lanewise.divisibility = array<i64: 64, 1>}, %d: memref<128x128xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %bytes = arith.constant 32768 : index
  %ticks = arith.constant 1000000 : index
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  %a_map = nvgpu.tma.create.descriptor %a box[%c128, %c64] : memref<128x?xf16> -> !a_box
  %b_map = nvgpu.tma.create.descriptor %b box[%c64, %c64] : memref<?x128xf16> -> !b_box
  %as = memref.alloc() {iree_codegen.swizzle = #swizzle} : memref<2x128x64xf16, #space>
  %bs = memref.alloc() {iree_codegen.swizzle = #swizzle, lanewise.box = 64 : i64} : memref<2x64x128xf16, #space>
  %came = nvgpu.mbarrier.create -> !two
  scf.if %first {
    nvgpu.mbarrier.init %came[%c0], %c1 : !two
    nvgpu.mbarrier.init %came[%c1], %c1 : !two
  }
  gpu.barrier
  %k = memref.dim %a, %c1 : memref<128x?xf16>
  %tiles = arith.divui %k, %c64 : index
  scf.if %first {
    scf.for %i = %c0 to %c2 step %c1 {
      %at = arith.muli %i, %c64 : index
      nvgpu.mbarrier.arrive.expect_tx %came[%i], %bytes : !two
      nvgpu.tma.async.load %a_map[%at, %c0], %came[%i] to %as[%i, %c0, %c0] : !a_box, !two -> memref<2x128x64xf16, #space>
      nvgpu.tma.async.load %b_map[%c0, %at], %came[%i] to %bs[%i, %c0, %c0] : !b_box, !two -> memref<2x64x128xf16, #space>
      nvgpu.tma.async.load %b_map[%c64, %at], %came[%i] to %bs[%i, %c0, %c64] : !b_box, !two -> memref<2x64x128xf16, #space>
    }
  }
  %zeros = nvgpu.warpgroup.mma.init.accumulator -> !sums
  %total = scf.for %i = %c0 to %tiles step %c1 iter_args(%sums = %zeros) -> (!sums) {
    %stage = arith.remui %i, %c2 : index
    %round = arith.divui %i, %c2 : index
    %odd = arith.remui %round, %c2 : index
    %parity = arith.cmpi eq, %odd, %c1 : index
    nvgpu.mbarrier.try_wait.parity %came[%stage], %parity, %ticks : !two
    %at = memref.subview %as[%stage, 0, 0] [1, 128, 64] [1, 1, 1]
      : memref<2x128x64xf16, #space> to memref<128x64xf16, strided<[64, 1], offset: ?>, #space>
    %bt = memref.subview %bs[%stage, 0, 0] [1, 64, 128] [1, 1, 1]
      : memref<2x64x128xf16, #space> to memref<64x128xf16, strided<[128, 1], offset: ?>, #space>
    %da = nvgpu.warpgroup.generate.descriptor %at, %a_map : memref<128x64xf16, strided<[64, 1], offset: ?>, #space>, !a_box -> !a_tile
    %db = nvgpu.warpgroup.generate.descriptor %bt, %b_map : memref<64x128xf16, strided<[128, 1], offset: ?>, #space>, !b_box -> !b_tile
    %next = nvgpu.warpgroup.mma %da, %db, %sums {transposeB, waitGroup = 0 : i32} : !a_tile, !b_tile, !sums -> !sums
    gpu.barrier
    %ahead = arith.addi %i, %c2 : index
    %more = arith.cmpi ult, %ahead, %tiles : index
    %copies = arith.andi %more, %first : i1
    scf.if %copies {
      %from = arith.muli %ahead, %c64 : index
      nvgpu.mbarrier.arrive.expect_tx %came[%stage], %bytes : !two
      nvgpu.tma.async.load %a_map[%from, %c0], %came[%stage] to %as[%stage, %c0, %c0] : !a_box, !two -> memref<2x128x64xf16, #space>
      nvgpu.tma.async.load %b_map[%c0, %from], %came[%stage] to %bs[%stage, %c0, %c0] : !b_box, !two -> memref<2x64x128xf16, #space>
      nvgpu.tma.async.load %b_map[%c64, %from], %came[%stage] to %bs[%stage, %c0, %c64] : !b_box, !two -> memref<2x64x128xf16, #space>
    }
    scf.yield %next : !sums
  }
  nvgpu.warpgroup.mma.store %total, %d : !sums to memref<128x128xf32>
  gpu.return
}
