// Workgroups whose loops end after 5, 3 and 1 iterations: what one still multiplies is its own shared memory, not another's.
// test run target=sm_90a
// expect sm_90a: wgmma 4, spills 0
// lanewise.args M = 264, N = 128, K = 264 : a = integers(-3, 3, M, K), b = integers(-3, 3, K, N), c = empty(M, N) ; grid = (ceildiv(N, 128), ceildiv(M, 128), 1)
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
gpu.func @upper(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ck = arith.constant 64 : index
  %cm = arith.constant 128 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<128x128xf32>
  %bx = gpu.block_id x
  %by = gpu.block_id y
  %n = arith.muli %bx, %cm : index
  %m = arith.muli %by, %cm : index
  %depth = memref.dim %A, %c1 : memref<?x?xf16>

  %sum0 = scf.for %k = %m to %depth step %ck iter_args(%acc = %zero) -> (vector<128x128xf32>) {
    %a = vector.transfer_read %A[%m, %k], %pad : memref<?x?xf16>, vector<128x64xf16>
    %b = vector.transfer_read %B[%k, %n], %pad : memref<?x?xf16>, vector<64x128xf16>
    %nx = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %a, %b, %acc : vector<128x64xf16>, vector<64x128xf16> into vector<128x128xf32>
    scf.yield %nx : vector<128x128xf32>
  }
  vector.transfer_write %sum0, %C[%m, %n] : vector<128x128xf32>, memref<?x?xf32>
  gpu.return
}
