// Subgroups of their own copy for loops that stand in others: each side has the outer loop, and a ring goes on from one place
// to the next. Two workgroups stay for up to nine places; the third program's loops may have no iteration.
// test run target=sm_90a
// test run target=sm_90a M=1 N=1 K=8
// test run target=sm_90a M=190 N=130 K=200
// test run target=sm_90a M=64 N=300 K=0
// Rings of 3 x 8 KiB each, with two groups of 3 objects of 8 bytes, of which the second begins at a multiple of 16. All meet
// behind these once; those that multiply have a barrier before they write a place, since others of them may have written there.
// expect sm_90a: wgmma 4, copies 2, loads 0, shared loads 0, shared stores 0, barriers 2, conversions 0, bank conflicts 0
// expect sm_90a: shared bytes 49208, spills 0
// lanewise.args M = 130, N = 70, K = 136 : a = integers(-3, 3, M, K), b = integers(-3, 3, N, K), c = empty(M, N) ; grid = (ceildiv(N, 64), ceildiv(M, 64), 1)
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @places(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf32>) attributes {
    lanewise.specialise = true, lanewise.persist = 2,
    translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [128, 1, 1]
      subgroup_size = 32, {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 3>}>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %step = arith.constant 64 : index
  %depth = memref.dim %a, %c1 : memref<?x?xf16>
  %x = gpu.block_id x
  %y = gpu.block_id y
  %n = arith.muli %x, %step : index
  %m = arith.muli %y, %step : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<64x64xf32>) {
    %l = vector.transfer_read %a[%m, %k], %p : memref<?x?xf16>, vector<64x64xf16>
    %s = vector.transfer_read %b[%n, %k], %p : memref<?x?xf16>, vector<64x64xf16>
    %d = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %l, %s, %sum : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
    scf.yield %d : vector<64x64xf32>
  }
  vector.transfer_write %r, %c[%m, %n] : vector<64x64xf32>, memref<?x?xf32>
  return
}
// -----
// Products one after the other of tiles that are alike take one ring, in which the second goes on where the first stopped: its
// first tiles are copied while the first's last are multiplied. Of tiles of 8 KiB there are two each.
// expect sm_90a: wgmma 8, copies 4, barriers 1, conversions 0, shared bytes 32800
// lanewise.args M = 130, N = 70, K = 136 : a = integers(-3, 3, M, K), b = integers(-3, 3, N, K), c = empty(M, N) ; grid = (ceildiv(N, 64), ceildiv(M, 64), 1)
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @one_ring(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.specialise = true} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %step = arith.constant 64 : index
  %x = gpu.block_id x
  %y = gpu.block_id y
  %n = arith.muli %x, %step : index
  %m = arith.muli %y, %step : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %depth = memref.dim %a, %c1 : memref<?x?xf16>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<64x64xf32>) {
    %l = vector.transfer_read %a[%m, %k], %p : memref<?x?xf16>, vector<64x64xf16>
    %s = vector.transfer_read %b[%n, %k], %p : memref<?x?xf16>, vector<64x64xf16>
    %d = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %l, %s, %sum : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
    scf.yield %d : vector<64x64xf32>
  }
  // Where the second begins follows from arguments, behind the first.
  %half = arith.divui %depth, %step : index
  %odd = arith.andi %half, %c1 : index
  %low = arith.muli %odd, %step : index
  %t = scf.for %k2 = %low to %depth step %step iter_args(%sum2 = %r) -> (vector<64x64xf32>) {
    %l2 = vector.transfer_read %a[%m, %k2], %p : memref<?x?xf16>, vector<64x64xf16>
    %s2 = vector.transfer_read %b[%n, %k2], %p : memref<?x?xf16>, vector<64x64xf16>
    %d2 = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %l2, %s2, %sum2 : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
    scf.yield %d2 : vector<64x64xf32>
  }
  vector.transfer_write %t, %c[%m, %n] : vector<64x64xf32>, memref<?x?xf32>
  gpu.return
}
// -----
// A loop of rows around two products whose tiles differ: a ring each, of 2 x (8 + 8) KiB and 4 x (4 + 4) KiB, side by side, and
// twelve objects of 8 bytes. The bounds of the first follow from the row.
// expect sm_90a: wgmma 6, copies 4, conversions 0, shared bytes 65632
// lanewise.args M = 130, N = 70, K = 136 : a = integers(-3, 3, M, K), b = integers(-3, 3, N, K), c = empty(M, N) ; grid = (ceildiv(N, 64))
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @two_rings(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.specialise = true} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %step = arith.constant 64 : index
  %short = arith.constant 32 : index
  %x = gpu.block_id x
  %n = arith.muli %x, %step : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %depth = memref.dim %a, %c1 : memref<?x?xf16>
  %rows = memref.dim %a, %c0 : memref<?x?xf16>
  scf.for %m = %c0 to %rows step %step {
    %end = arith.minui %depth, %m : index
    %r = scf.for %k = %c0 to %end step %step iter_args(%sum = %z) -> (vector<64x64xf32>) {
      %l = vector.transfer_read %a[%m, %k], %p : memref<?x?xf16>, vector<64x64xf16>
      %s = vector.transfer_read %b[%n, %k], %p : memref<?x?xf16>, vector<64x64xf16>
      %d = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"],
        kind = #vector.kind<add>} %l, %s, %sum : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
      scf.yield %d : vector<64x64xf32>
    }
    %h = arith.mulf %r, %r : vector<64x64xf32>
    %t = scf.for %j = %c0 to %depth step %short iter_args(%sum2 = %h) -> (vector<64x64xf32>) {
      %l2 = vector.transfer_read %a[%m, %j], %p : memref<?x?xf16>, vector<64x32xf16>
      %s2 = vector.transfer_read %b[%n, %j], %p : memref<?x?xf16>, vector<64x32xf16>
      %d2 = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"],
        kind = #vector.kind<add>} %l2, %s2, %sum2 : vector<64x32xf16>, vector<64x32xf16> into vector<64x64xf32>
      scf.yield %d2 : vector<64x64xf32>
    }
    vector.transfer_write %t, %c[%m, %n] : vector<64x64xf32>, memref<?x?xf32>
  }
  gpu.return
}
