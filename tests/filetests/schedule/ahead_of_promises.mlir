// What a loop copies into shared memory is read an iteration ahead, whatever is promised of its places: the first tiles are read
// where there is an iteration, and beyond the last one its own tile is read again. So products stand between each load and the
// wait for it.
// test run
// test run target=gfx942
// test run target=gfx942 K=0
// A matrix of a batch is no place that a comparison with extents makes right. Each loop reads each tile in front of it and in
// it, and from shared memory: 6 reads; the loop of what is left behind whole tiles reads as it was, 4.
// expect gfx942: exposed loads 0, layout scf.if 1, layout vector.transfer_read 10, conversions 0
// expect gfx90a: exposed loads 0, layout scf.if 1
// expect gfx950 K=64: exposed loads 0
// lanewise.args G = 2, M = 70, N = 64, K = 72 : a = integers(-3, 3, G, M, K), b = integers(-3, 3, G, K, N), c = empty(G, M, N) ; grid = (ceildiv(N, 64), ceildiv(M, 64), G)
#mm = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

gpu.func @f(%A: memref<?x?x?xf16>, %B: memref<?x?x?xf16>, %C: memref<?x?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<64x64xf32>
  %block_x = gpu.block_id x
  %block_y = gpu.block_id y
  %g = gpu.block_id z
  %n = arith.muli %block_x, %c64 : index
  %m = arith.muli %block_y, %c64 : index
  %depth = memref.dim %A, %c2 : memref<?x?x?xf16>
  %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %a = vector.transfer_read %A[%g, %m, %k], %pad : memref<?x?x?xf16>, vector<64x32xf16>
    %b = vector.transfer_read %B[%g, %k, %n], %pad : memref<?x?x?xf16>, vector<32x64xf16>
    %next = vector.contract {
      indexing_maps = [#mm, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %a, %b, %acc : vector<64x32xf16>, vector<32x64xf16> into vector<64x64xf32>
    scf.yield %next : vector<64x64xf32>
  }
  vector.transfer_write %sum, %C[%g, %m, %n] : vector<64x64xf32>, memref<?x?x?xf32>
  gpu.return
}
// -----
// All is promised to be inside of memory, in iterations that there are.
// expect gfx942: exposed loads 0, layout scf.if 1, layout vector.transfer_read 6
// lanewise.args G = 2, M = 64, N = 64, K = 96 : a = integers(-3, 3, G, M, K), b = integers(-3, 3, G, K, N), c = empty(G, M, N) ; grid = (ceildiv(N, 64), ceildiv(M, 64), G)
#mm = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

gpu.func @f(%A: memref<?x?x?xf16>, %B: memref<?x?x?xf16>, %C: memref<?x?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<64x64xf32>
  %block_x = gpu.block_id x
  %block_y = gpu.block_id y
  %g = gpu.block_id z
  %n = arith.muli %block_x, %c64 : index
  %m = arith.muli %block_y, %c64 : index
  %depth = memref.dim %A, %c2 : memref<?x?x?xf16>
  %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %a = vector.transfer_read %A[%g, %m, %k], %pad {in_bounds = [true, true]} : memref<?x?x?xf16>, vector<64x32xf16>
    %b = vector.transfer_read %B[%g, %k, %n], %pad {in_bounds = [true, true]} : memref<?x?x?xf16>, vector<32x64xf16>
    %next = vector.contract {
      indexing_maps = [#mm, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %a, %b, %acc : vector<64x32xf16>, vector<32x64xf16> into vector<64x64xf32>
    scf.yield %next : vector<64x64xf32>
  }
  vector.transfer_write %sum, %C[%g, %m, %n] : vector<64x64xf32>, memref<?x?x?xf32>
  gpu.return
}
// -----
// Two tiles are held: in front of the loop those of two iterations are read, all of them where there is one.
// expect gfx942: exposed loads 0, layout scf.if 1, layout vector.transfer_read 8
// lanewise.args G = 2, M = 64, N = 64, K = 96 : a = integers(-3, 3, G, M, K), b = integers(-3, 3, G, K, N), c = empty(G, M, N) ; grid = (ceildiv(N, 64), ceildiv(M, 64), G)
#mm = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#options = #iree_gpu.pipeline_options<prefetch_num_stages = 3>
#info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [128, 1, 1], {gpu_pipeline_options = #options}>
gpu.func @f(%A: memref<?x?x?xf16>, %B: memref<?x?x?xf16>, %C: memref<?x?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>, translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<64x64xf32>
  %block_x = gpu.block_id x
  %block_y = gpu.block_id y
  %g = gpu.block_id z
  %n = arith.muli %block_x, %c64 : index
  %m = arith.muli %block_y, %c64 : index
  %depth = memref.dim %A, %c2 : memref<?x?x?xf16>
  %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %a = vector.transfer_read %A[%g, %m, %k], %pad {in_bounds = [true, true]} : memref<?x?x?xf16>, vector<64x32xf16>
    %b = vector.transfer_read %B[%g, %k, %n], %pad {in_bounds = [true, true]} : memref<?x?x?xf16>, vector<32x64xf16>
    %next = vector.contract {
      indexing_maps = [#mm, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %a, %b, %acc : vector<64x32xf16>, vector<32x64xf16> into vector<64x64xf32>
    scf.yield %next : vector<64x64xf32>
  }
  vector.transfer_write %sum, %C[%g, %m, %n] : vector<64x64xf32>, memref<?x?x?xf32>
  gpu.return
}
// -----
// A convolution, as three loops: the places of the innermost one depend on all of them.
// expect gfx942: exposed loads 0, layout scf.if 1
// lanewise.args H = 2, W = 64, C = 32, K = 128 : x = integers(-3, 3, 1, H + 2, W + 2, C), w = integers(-3, 3, 3, 3, C, K), y = empty(1, H, W, K) ; grid = (ceildiv(K, 128), H, 1)
#mm = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @conv(%X: memref<?x?x?x?xf16>, %W: memref<3x3x?x?xf16>, %Y: memref<?x?x?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<64x128xf32>
  %bx = gpu.block_id x
  %h = gpu.block_id y
  %n = arith.muli %bx, %c128 : index
  %depth = memref.dim %X, %c3 : memref<?x?x?x?xf16>
  %sum = scf.for %r = %c0 to %c3 step %c1 iter_args(%a0 = %zero) -> (vector<64x128xf32>) {
    %row = arith.addi %h, %r : index
    %s1 = scf.for %s = %c0 to %c3 step %c1 iter_args(%a1 = %a0) -> (vector<64x128xf32>) {
      %s2 = scf.for %k = %c0 to %depth step %c32 iter_args(%acc = %a1) -> (vector<64x128xf32>) {
        %a = vector.transfer_read %X[%c0, %row, %s, %k], %pad : memref<?x?x?x?xf16>, vector<64x32xf16>
        %b = vector.transfer_read %W[%r, %s, %k, %n], %pad : memref<3x3x?x?xf16>, vector<32x128xf16>
        %next = vector.contract {
          indexing_maps = [#mm, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
          %a, %b, %acc : vector<64x32xf16>, vector<32x128xf16> into vector<64x128xf32>
        scf.yield %next : vector<64x128xf32>
      }
      scf.yield %s2 : vector<64x128xf32>
    }
    scf.yield %s1 : vector<64x128xf32>
  }
  vector.transfer_write %sum, %Y[%c0, %h, %c0, %n] : vector<64x128xf32>, memref<?x?x?x?xf32>
  gpu.return
}
