// test run target=gfx942
// A permutation of lanes may be under way at a barrier: it uses the crossbar of shared memory, but no memory.
// lanewise.args M = 4, N = 300 : dy = normal(M, N), x = normal(M, N), w = normal(N), dx = empty(M, N), dwp = empty(M, N), eps = 1e-5 ; grid = (M, 1, 1)
gpu.func @layernorm_bwd(%dy: memref<?x?xf32>, %x: memref<?x?xf32>, %w: memref<?xf32>, %dx: memref<?x?xf32>, %dwp: memref<?x?xf32>, %eps: f32) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %zt = arith.constant dense<0.0> : vector<512xf32>
  %row = gpu.block_id x
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  %ni = arith.index_cast %n : index to i32
  %nf = arith.sitofp %ni : i32 to f32
  %mask = vector.create_mask %n : vector<512xi1>
  %xv = vector.transfer_read %x[%row, %c0], %z : memref<?x?xf32>, vector<512xf32>
  %g = vector.transfer_read %dy[%row, %c0], %z : memref<?x?xf32>, vector<512xf32>
  %wv = vector.transfer_read %w[%c0], %z : memref<?xf32>, vector<512xf32>
  %s = vector.multi_reduction <add>, %xv, %z [0] : vector<512xf32> to f32
  %mean = arith.divf %s, %nf : f32
  %mb = vector.broadcast %mean : f32 to vector<512xf32>
  %d0 = arith.subf %xv, %mb : vector<512xf32>
  %d = arith.select %mask, %d0, %zt : vector<512xi1>, vector<512xf32>
  %sq = arith.mulf %d, %d : vector<512xf32>
  %ss = vector.multi_reduction <add>, %sq, %z [0] : vector<512xf32> to f32
  %var = arith.divf %ss, %nf : f32
  %ve = arith.addf %var, %eps : f32
  %rstd = math.rsqrt %ve : f32
  %rb = vector.broadcast %rstd : f32 to vector<512xf32>
  %xh = arith.mulf %d, %rb : vector<512xf32>
  %wg = arith.mulf %g, %wv : vector<512xf32>
  %p = arith.mulf %wg, %xh : vector<512xf32>
  %c1s = vector.multi_reduction <add>, %p, %z [0] : vector<512xf32> to f32
  %c2s = vector.multi_reduction <add>, %wg, %z [0] : vector<512xf32> to f32
  %c1m = arith.divf %c1s, %nf : f32
  %c2m = arith.divf %c2s, %nf : f32
  %c1b = vector.broadcast %c1m : f32 to vector<512xf32>
  %c2b = vector.broadcast %c2m : f32 to vector<512xf32>
  %t1 = arith.mulf %xh, %c1b : vector<512xf32>
  %t2 = arith.addf %t1, %c2b : vector<512xf32>
  %t3 = arith.subf %wg, %t2 : vector<512xf32>
  %r = arith.mulf %t3, %rb : vector<512xf32>
  vector.transfer_write %r, %dx[%row, %c0] : vector<512xf32>, memref<?x?xf32>
  %dw = arith.mulf %g, %xh : vector<512xf32>
  vector.transfer_write %dw, %dwp[%row, %c0] : vector<512xf32>, memref<?x?xf32>
  gpu.return
}
