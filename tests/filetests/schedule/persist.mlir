// Two workgroups stay for the 24 places of a grid: each place is taken once, by one of them.
// test roundtrip
// test run target=sm_80
// test run target=gfx942
// expect sm_80: layout scf.for 1, layout gpu.block_id 3, layout gpu.grid_dim 3, layout arith.remui 2, layout arith.divui 2
// lanewise.args C = 3, R = 4 : y = empty(2, R, C) ; grid = (C, R, 2)
gpu.func @places(%y: memref<2x?x?xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.persist = 2} {
  %c10 = arith.constant 10 : index
  %i = gpu.block_id x
  %j = gpu.block_id y
  %k = gpu.block_id z
  %a = arith.muli %j, %c10 : index
  %b = arith.addi %a, %i : index
  %n = arith.index_cast %b : index to i32
  %v = vector.broadcast %n : i32 to vector<1xi32>
  vector.transfer_write %v, %y[%k, %j, %i] {in_bounds = [true]} : vector<1xi32>, memref<2x?x?xi32>
  gpu.return
}
// -----
// As many as an A100 has multiprocessors, 108, or an MI300X compute units, 304; there are places for fewer.
// expect sm_80: layout scf.for 1
// expect gfx942: layout scf.for 1
// lanewise.args N = 100 : x = integers(-9, 9, N), y = empty(N) ; grid = (ceildiv(N, 32))
gpu.func @all(%x: memref<?xi32>, %y: memref<?xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.persist = true} {
  %c32 = arith.constant 32 : index
  %p = arith.constant 0 : i32
  %i = gpu.block_id x
  %at = arith.muli %i, %c32 : index
  %v = vector.transfer_read %x[%at], %p : memref<?xi32>, vector<32xi32>
  %d = arith.addi %v, %v : vector<32xi32>
  vector.transfer_write %d, %y[%at] : vector<32xi32>, memref<?xi32>
  gpu.return
}
// -----
// A product of sizes that no tile divides, in bands: one round of four workgroups, and half a round more. The ring's tiles are
// allocated once, and read by all before the next place's copies fill them: of A and of B three of 32 x 32 halves.
// expect sm_80: layout scf.for 2, copies >= 2, shared bytes 12288
// lanewise.args M = 70, N = 40, K = 80 : a = integers(-3, 3, M, K), b = integers(-3, 3, N, K), c = empty(M, N) ; grid = (ceildiv(N, 32), ceildiv(M, 32), 1)
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @product(%A: memref<?x?xf16> {llvm.align = 16 : i64, lanewise.divisibility = array<i64: 1, 8>},
    %B: memref<?x?xf16> {llvm.align = 16 : i64, lanewise.divisibility = array<i64: 1, 8>}, %C: memref<?x?xf32>) attributes {
    lanewise.persist = 4, lanewise.bands = 2,
    translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [64, 1, 1],
      {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 3>}>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<32x32xf32>
  %block_x = gpu.block_id x
  %block_y = gpu.block_id y
  %n = arith.muli %block_x, %c32 : index
  %m = arith.muli %block_y, %c32 : index
  %depth = memref.dim %A, %c1 : memref<?x?xf16>
  %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%acc = %zero) -> (vector<32x32xf32>) {
    %a = vector.transfer_read %A[%m, %k], %pad : memref<?x?xf16>, vector<32x32xf16>
    %b = vector.transfer_read %B[%n, %k], %pad : memref<?x?xf16>, vector<32x32xf16>
    %next = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %acc : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
    scf.yield %next : vector<32x32xf32>
  }
  vector.transfer_write %sum, %C[%m, %n] : vector<32x32xf32>, memref<?x?xf32>
  return
}
// -----
// Nobody asks for it: nothing stays.
// expect sm_80: layout scf.for 0, layout gpu.grid_dim 0, layout gpu.block_id 1
// lanewise.args y = empty(3) ; grid = 3
gpu.func @plain(%y: memref<3xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %i = gpu.block_id x
  %n = arith.index_cast %i : index to i32
  %v = vector.broadcast %n : i32 to vector<1xi32>
  vector.transfer_write %v, %y[%i] {in_bounds = [true]} : vector<1xi32>, memref<3xi32>
  gpu.return
}
