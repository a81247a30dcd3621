// test run target=gfx1100
// Waves that diverge over registers which all waves hold alike: a loop of atomics, tiles over three slices of K.
// lanewise.args M = 16, N = 16, K = 70, S = 3 : a = integers(-3, 3, M, K), b = integers(-3, 3, K, N), c = zeros(M, N) ; grid = (ceildiv(N, 16), ceildiv(M, 16), S)
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
gpu.func @gemm_splitk(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<16x16xf32>
  %bx = gpu.block_id x
  %by = gpu.block_id y
  %z = gpu.block_id z
  %nz = gpu.grid_dim z
  %n = arith.muli %bx, %c16 : index
  %m = arith.muli %by, %c16 : index
  %M = memref.dim %C, %c0 : memref<?x?xf32>
  %N = memref.dim %C, %c1 : memref<?x?xf32>
  %depth = memref.dim %A, %c1 : memref<?x?xf16>
  %k0 = arith.muli %z, %c16 : index
  %step = arith.muli %nz, %c16 : index
  %t = memref.alloc() : memref<16x16xf32, #gpu.address_space<workgroup>>
  %sum = scf.for %k = %k0 to %depth step %step iter_args(%acc = %zero) -> (vector<16x16xf32>) {
    %0 = vector.transfer_read %A[%m, %k], %pad : memref<?x?xf16>, vector<16x16xf16>
    %1 = vector.transfer_read %B[%k, %n], %pad : memref<?x?xf16>, vector<16x16xf16>
    %2 = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %0, %1, %acc : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
    scf.yield %2 : vector<16x16xf32>
  }
  vector.transfer_write %sum, %t[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32, #gpu.address_space<workgroup>>
  gpu.barrier
  scf.for %i = %c0 to %c16 step %c1 {
    scf.for %j = %c0 to %c16 step %c1 {
      %gi = arith.addi %m, %i : index
      %gj = arith.addi %n, %j : index
      %in1 = arith.cmpi slt, %gi, %M : index
      %in2 = arith.cmpi slt, %gj, %N : index
      %in = arith.andi %in1, %in2 : i1
      scf.if %in {
        %v = memref.load %t[%i, %j] : memref<16x16xf32, #gpu.address_space<workgroup>>
        %old = memref.atomic_rmw addf %v, %C[%gi, %gj] : (f32, memref<?x?xf32>) -> f32
      }
    }
  }
  gpu.return
}
