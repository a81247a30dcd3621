#mk = affine_map<(m,n,k)->(m,k)>
#nk = affine_map<(m,n,k)->(n,k)>
#kn = affine_map<(m,n,k)->(k,n)>
#mn = affine_map<(m,n,k)->(m,n)>
gpu.func @attention(%Q: memref<?x64xf16> {llvm.align = 16 : i64}, %K: memref<?x64xf16> {llvm.align = 16 : i64}, %V: memref<?x64xf16> {llvm.align = 16 : i64}, %O: memref<?x64xf32> {llvm.align = 16 : i64}) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %cm = arith.constant 64 : index
  %cn = arith.constant 64 : index
  %p = arith.constant 0.0 : f16
  %scale = arith.constant dense<0.125> : vector<64x64xf32>
  %zs = arith.constant dense<0.0> : vector<64x64xf32>
  %zo = arith.constant dense<0.0> : vector<64x64xf32>
  %zl = arith.constant dense<0.0> : vector<64xf32>
  %low = arith.constant dense<-1.0e30> : vector<64xf32>
  %lows = arith.constant dense<-1.0e30> : vector<64x64xf32>
  %b = gpu.block_id x
  %m = arith.muli %b, %cm : index
  %end = arith.addi %m, %cm : index
  %q = vector.transfer_read %Q[%m, %c0], %p {in_bounds = [true, true]} : memref<?x64xf16>, vector<64x64xf16>
  %rs = vector.step : vector<64xindex>
  %mb = vector.broadcast %m : index to vector<64xindex>
  %rows = arith.addi %rs, %mb : vector<64xindex>
  %rowsb = vector.broadcast %rows : vector<64xindex> to vector<64x64xindex>
  %rowst = vector.transpose %rowsb, [1, 0] : vector<64x64xindex> to vector<64x64xindex>
  %cs = vector.step : vector<64xindex>
  %r:3 = scf.for %j = %c0 to %end step %cn iter_args(%o = %zo, %mx = %low, %l = %zl) -> (vector<64x64xf32>, vector<64xf32>, vector<64xf32>) {
    %k = vector.transfer_read %K[%j, %c0], %p {in_bounds = [true, true]} : memref<?x64xf16>, vector<64x64xf16>
    %v = vector.transfer_read %V[%j, %c0], %p {in_bounds = [true, true]} : memref<?x64xf16>, vector<64x64xf16>
    %s0 = vector.contract {indexing_maps=[#mk,#nk,#mn], iterator_types=["parallel","parallel","reduction"], kind=#vector.kind<add>} %q,%k,%zs : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
    %s1 = arith.mulf %s0, %scale : vector<64x64xf32>
    %jb = vector.broadcast %j : index to vector<64xindex>
    %cols = arith.addi %cs, %jb : vector<64xindex>
    %colsb = vector.broadcast %cols : vector<64xindex> to vector<64x64xindex>
    %mask = arith.cmpi sge, %rowst, %colsb : vector<64x64xindex>
    %s = arith.select %mask, %s1, %lows : vector<64x64xi1>, vector<64x64xf32>
    %mn = vector.multi_reduction <maxnumf>, %s, %mx [1] : vector<64x64xf32> to vector<64xf32>
    %mnb = vector.broadcast %mn : vector<64xf32> to vector<64x64xf32>
    %mnt = vector.transpose %mnb, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
    %d = arith.subf %s, %mnt : vector<64x64xf32>
    %e = math.exp %d : vector<64x64xf32>
    %ad = arith.subf %mx, %mn : vector<64xf32>
    %alpha = math.exp %ad : vector<64xf32>
    %la = arith.mulf %l, %alpha : vector<64xf32>
    %ln = vector.multi_reduction <add>, %e, %la [1] : vector<64x64xf32> to vector<64xf32>
    %ab = vector.broadcast %alpha : vector<64xf32> to vector<64x64xf32>
    %at = vector.transpose %ab, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
    %oa = arith.mulf %o, %at : vector<64x64xf32>
    %h = arith.truncf %e : vector<64x64xf32> to vector<64x64xf16>
    %on = vector.contract {indexing_maps=[#mk,#kn,#mn], iterator_types=["parallel","parallel","reduction"], kind=#vector.kind<add>} %h,%v,%oa : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
    scf.yield %on, %mn, %ln : vector<64x64xf32>, vector<64xf32>, vector<64xf32>
  }
  %lb = vector.broadcast %r#2 : vector<64xf32> to vector<64x64xf32>
  %lt = vector.transpose %lb, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
  %out = arith.divf %r#0, %lt : vector<64x64xf32>
  vector.transfer_write %out, %O[%m, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<?x64xf32>
  gpu.return
}
