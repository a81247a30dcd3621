// Subgroups copy tiles of their own, each lane neighbours; then threads read what others copied.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// lanewise.args x = normal(8, 64), y = empty(8, 64)
// 32 lanes copy four rows of 64 numbers, 16 bytes at once: two pieces each, which are read before they are written. One
// barrier behind the loop.
// expect sm_90: barriers 1
#group = #gpu.address_space<workgroup>
gpu.func @rows(%x: memref<8x64xf32> {llvm.align = 16 : i64}, %y: memref<8x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c63 = arith.constant 63 : index
  %s = memref.alloc() : memref<8x64xf32, #group>
  scf.forall (%w) in (2) {
    %first = arith.muli %w, %c4 : index
    %from = memref.subview %x[%first, 0] [4, 64] [1, 1] : memref<8x64xf32> to memref<4x64xf32, strided<[64, 1], offset: ?>>
    %to = memref.subview %s[%first, 0] [4, 64] [1, 1] : memref<8x64xf32, #group> to memref<4x64xf32, strided<[64, 1], offset: ?>, #group>
    scf.forall (%lane) in (32) {
      iree_gpu.coalesced_gather_dma %from into %to lane(%lane)
        : memref<4x64xf32, strided<[64, 1], offset: ?>>, memref<4x64xf32, strided<[64, 1], offset: ?>, #group>, index
    } {mapping = [#iree_gpu.lane_id<0>]}
  } {mapping = [#gpu.warp<linear_dim_0>]}
  %t = gpu.thread_id x
  %other = arith.subi %c63, %t : index
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %s[%i, %other] : memref<8x64xf32, #group>
    memref.store %v, %y[%i, %t] : memref<8x64xf32>
  }
  gpu.return
}
// -----
// Extents that nobody knows: each lane goes on as long as there are pieces; rows beyond the end are zeros.
// lanewise.args x = normal(5, 16), y = empty(7, 16), n = 7
#group = #gpu.address_space<workgroup>
gpu.func @some_rows(%x: memref<?x16xf16>, %y: memref<7x16xf16>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %s = memref.alloc() : memref<16x16xf16, #group>
  %part = memref.subview %s[0, 0] [%n, 16] [1, 1] : memref<16x16xf16, #group> to memref<?x16xf16, strided<[16, 1]>, #group>
  scf.forall (%lane) in (32) {
    iree_gpu.coalesced_gather_dma %x into %part lane(%lane) in_bounds [false, true]
      : memref<?x16xf16>, memref<?x16xf16, strided<[16, 1]>, #group>, index
  } {mapping = [#gpu.thread<linear_dim_0>]}
  scf.forall (%i, %j) in (7, 16) {
    %v = memref.load %part[%i, %j] : memref<?x16xf16, strided<[16, 1]>, #group>
    memref.store %v, %y[%i, %j] : memref<7x16xf16>
  } {mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]}
  gpu.return
}
// -----
// In a workgroup's own program the loop over lanes is a program of threads; what follows sees what they copied.
// lanewise.args x = normal(4, 128), y = empty(4, 128)
#group = #gpu.address_space<workgroup>
func.func @within(%x: memref<4x128xf32>, %y: memref<4x128xf32>) attributes {translation_info =
    #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [64, 1, 1]>} {
  %s = memref.alloc() : memref<4x128xf32, #group>
  scf.forall (%lane) in (32) {
    iree_gpu.coalesced_gather_dma %x into %s lane(%lane) : memref<4x128xf32>, memref<4x128xf32, #group>, index
  } {mapping = [#gpu.thread<linear_dim_0>]}
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %s[%c0, %c0], %p {in_bounds = [true, true]} : memref<4x128xf32, #group>, vector<4x128xf32>
  vector.transfer_write %v, %y[%c0, %c0] {in_bounds = [true, true]} : vector<4x128xf32>, memref<4x128xf32>
  return
}
