// Rings where a loop never runs, where there is nothing to copy, and within another loop: barrier objects are made once,
// so there the threads copy.
// test run target=sm_90a
// lanewise.args K = 64: a = integers(-3, 3, 64, K), b = integers(-3, 3, 64, K), c = empty(64, 64); grid = 1
gpu.func @g(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>, translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [128, 1, 1] subgroup_size = 32, {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 2>}>} {
  %c0 = arith.constant 0 : index
  %cd = arith.constant 1 : index
  %lb = arith.constant 64 : index
  %step = arith.constant 32 : index
  %end = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %r = scf.for %k = %lb to %end step %step iter_args(%sum = %z) -> (vector<64x64xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<64x64xf16>, vector<64x32xf16>
    %s = vector.transfer_read %b[%c0, %k], %p {in_bounds = [true, true]} : memref<64x64xf16>, vector<64x32xf16>
    %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
      affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %l, %s, %sum : vector<64x32xf16>, vector<64x32xf16> into vector<64x64xf32>
    scf.yield %d : vector<64x64xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// lanewise.args K = 0: a = integers(-3, 3, 64, K), b = integers(-3, 3, 64, K), c = empty(64, 64); grid = 1
gpu.func @g(%a: memref<64x?xf16>, %b: memref<64x?xf16>, %c: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %cd = arith.constant 1 : index
  %lb = arith.constant 0 : index
  %step = arith.constant 32 : index
  %end = memref.dim %a, %cd : memref<64x?xf16>
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %r = scf.for %k = %lb to %end step %step iter_args(%sum = %z) -> (vector<64x64xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<64x?xf16>, vector<64x32xf16>
    %s = vector.transfer_read %b[%c0, %k], %p {in_bounds = [true, true]} : memref<64x?xf16>, vector<64x32xf16>
    %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
      affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %l, %s, %sum : vector<64x32xf16>, vector<64x32xf16> into vector<64x64xf32>
    scf.yield %d : vector<64x64xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// lanewise.args a = integers(-3, 3, 128, 160), b = integers(-3, 3, 64, 160), c = empty(128, 64); grid = 1
// Threads copy: 64 x 32 numbers of 2 bytes are two pieces for each of 128, of two tiles, before the loop and in it.
// expect sm_90a: copies 8
gpu.func @nest(%a: memref<128x160xf16> {llvm.align = 16 : i64}, %b: memref<64x160xf16> {llvm.align = 16 : i64}, %c: memref<128x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>, translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [128, 1, 1] subgroup_size = 32, {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 2>}>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = arith.constant 128 : index
  %step = arith.constant 32 : index
  %end = arith.constant 160 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  scf.for %i = %c0 to %m step %c64 {
  %r = scf.for %k = %c0 to %end step %step iter_args(%sum = %z) -> (vector<64x64xf32>) {
    %l = vector.transfer_read %a[%i, %k], %p {in_bounds = [true, true]} : memref<128x160xf16>, vector<64x32xf16>
    %s = vector.transfer_read %b[%c0, %k], %p {in_bounds = [true, true]} : memref<64x160xf16>, vector<64x32xf16>
    %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
      affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %l, %s, %sum : vector<64x32xf16>, vector<64x32xf16> into vector<64x64xf32>
    scf.yield %d : vector<64x64xf32>
  }
  vector.transfer_write %r, %c[%i, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<128x64xf32>
  }
  gpu.return
}
