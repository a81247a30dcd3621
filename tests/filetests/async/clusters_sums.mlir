// test roundtrip
// test run target=sm_90
// test run target=sm_90 M=6 N=4
// The program of a workgroup: four in a square, of which each adds what the four have put down. Ids say where it is.
// A thread has four neighbours of a row, and reads them as one, wherever they lie.
// expect sm_90: shared loads 1
// lanewise.args M = 2, N = 2 : x = integers(-3, 3, M, N, 16, 32), y = empty(M, N, 16, 32), z = empty(M, N, 7) ; grid = (M, N, 1)
#space = #gpu.address_space<workgroup>
#across = #nvvm.memory_space<shared_cluster>
gpu.func @sums(%x: memref<?x?x16x32xf32>, %y: memref<?x?x16x32xf32>, %z: memref<?x?x7xindex>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 2, 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<16x32xf32>
  %i = gpu.block_id x
  %j = gpu.block_id y
  %s = memref.alloc() : memref<16x32xf32, #space>
  %v = vector.transfer_read %x[%i, %j, %c0, %c0], %pad {in_bounds = [true, true]} : memref<?x?x16x32xf32>, vector<16x32xf32>
  vector.transfer_write %v, %s[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf32>, memref<16x32xf32, #space>
  gpu.barrier scope <cluster>
  %sum = scf.for %r = %c0 to %c4 step %c1 iter_args(%so_far = %zero) -> (vector<16x32xf32>) {
    %rank = arith.index_cast %r : index to i32
    %of = nvvm.mapa %s, %rank : memref<16x32xf32, #space> -> memref<16x32xf32, #across>
    %one = vector.transfer_read %of[%c0, %c0], %pad {in_bounds = [true, true]} : memref<16x32xf32, #across>, vector<16x32xf32>
    %next = arith.addf %so_far, %one : vector<16x32xf32>
    scf.yield %next : vector<16x32xf32>
  }
  gpu.barrier scope <cluster>
  vector.transfer_write %sum, %y[%i, %j, %c0, %c0] {in_bounds = [true, true]} : vector<16x32xf32>, memref<?x?x16x32xf32>
  %0 = gpu.cluster_id x
  %1 = gpu.cluster_id y
  %2 = gpu.cluster_dim x
  %3 = gpu.cluster_dim y
  %4 = gpu.cluster_dim_blocks y
  %5 = gpu.cluster_block_id x
  %6 = gpu.cluster_block_id y
  memref.store %0, %z[%i, %j, %c0] : memref<?x?x7xindex>
  memref.store %1, %z[%i, %j, %c1] : memref<?x?x7xindex>
  memref.store %2, %z[%i, %j, %c2] : memref<?x?x7xindex>
  memref.store %3, %z[%i, %j, %c3] : memref<?x?x7xindex>
  memref.store %4, %z[%i, %j, %c4] : memref<?x?x7xindex>
  memref.store %5, %z[%i, %j, %c5] : memref<?x?x7xindex>
  memref.store %6, %z[%i, %j, %c6] : memref<?x?x7xindex>
  gpu.return
}
