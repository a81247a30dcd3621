// Buffers that are never in use at once have the same bytes, where that lets more workgroups run: of two buffers of 8 KiB the
// 164 KiB of a multiprocessor hold 10 pairs, or 20 that share. Between the uses stands a barrier.
// test run target=sm_80
// test run target=gfx942
// expect sm_80: shared bytes 8192, barriers 1
// One wave of gfx942 needs no instruction for it.
// expect gfx942: shared bytes 8192, barriers 0
// lanewise.args x = integers(-3, 3), y = empty() ; grid = 1
gpu.func @f(%x: memref<2048xf32>, %y: memref<2048xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %p = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<2048xf32, #gpu.address_space<workgroup>>
  %b = memref.alloc() : memref<2048xf32, #gpu.address_space<workgroup>>
  %v = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<2048xf32>, vector<2048xf32>
  vector.transfer_write %v, %a[%c0] {in_bounds = [true]} : vector<2048xf32>, memref<2048xf32, #gpu.address_space<workgroup>>
  %w = vector.transfer_read %a[%c0], %p {in_bounds = [true]} : memref<2048xf32, #gpu.address_space<workgroup>>, vector<2048xf32>
  %u = arith.addf %w, %w : vector<2048xf32>
  vector.transfer_write %u, %b[%c0] {in_bounds = [true]} : vector<2048xf32>, memref<2048xf32, #gpu.address_space<workgroup>>
  %t = vector.transfer_read %b[%c0], %p {in_bounds = [true]} : memref<2048xf32, #gpu.address_space<workgroup>>, vector<2048xf32>
  vector.transfer_write %t, %y[%c0] {in_bounds = [true]} : vector<2048xf32>, memref<2048xf32>
  gpu.return
}
// -----
// Two workgroups of 1024 threads are all that run: there is nothing to gain.
// expect sm_80: shared bytes 16384, barriers 0
// lanewise.args x = integers(-3, 3), y = empty() ; grid = 1
gpu.func @f(%x: memref<2048xf32>, %y: memref<2048xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 1024, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %p = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<2048xf32, #gpu.address_space<workgroup>>
  %b = memref.alloc() : memref<2048xf32, #gpu.address_space<workgroup>>
  %v = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<2048xf32>, vector<2048xf32>
  vector.transfer_write %v, %a[%c0] {in_bounds = [true]} : vector<2048xf32>, memref<2048xf32, #gpu.address_space<workgroup>>
  %w = vector.transfer_read %a[%c0], %p {in_bounds = [true]} : memref<2048xf32, #gpu.address_space<workgroup>>, vector<2048xf32>
  %u = arith.addf %w, %w : vector<2048xf32>
  vector.transfer_write %u, %b[%c0] {in_bounds = [true]} : vector<2048xf32>, memref<2048xf32, #gpu.address_space<workgroup>>
  %t = vector.transfer_read %b[%c0], %p {in_bounds = [true]} : memref<2048xf32, #gpu.address_space<workgroup>>, vector<2048xf32>
  vector.transfer_write %t, %y[%c0] {in_bounds = [true]} : vector<2048xf32>, memref<2048xf32>
  gpu.return
}
// -----
// The barrier is there anyway.
// expect sm_80: shared bytes 8192, barriers 1
// lanewise.args x = integers(-3, 3), y = empty() ; grid = 1
gpu.func @f(%x: memref<2048xf32>, %y: memref<2048xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 1024, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %p = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<2048xf32, #gpu.address_space<workgroup>>
  %b = memref.alloc() : memref<2048xf32, #gpu.address_space<workgroup>>
  %v = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<2048xf32>, vector<2048xf32>
  vector.transfer_write %v, %a[%c0] {in_bounds = [true]} : vector<2048xf32>, memref<2048xf32, #gpu.address_space<workgroup>>
  %w = vector.transfer_read %a[%c0], %p {in_bounds = [true]} : memref<2048xf32, #gpu.address_space<workgroup>>, vector<2048xf32>
  gpu.barrier
  %u = arith.addf %w, %w : vector<2048xf32>
  vector.transfer_write %u, %b[%c0] {in_bounds = [true]} : vector<2048xf32>, memref<2048xf32, #gpu.address_space<workgroup>>
  %t = vector.transfer_read %b[%c0], %p {in_bounds = [true]} : memref<2048xf32, #gpu.address_space<workgroup>>, vector<2048xf32>
  vector.transfer_write %t, %y[%c0] {in_bounds = [true]} : vector<2048xf32>, memref<2048xf32>
  gpu.return
}
// -----
// In a loop the first buffer is used again after the second.
// expect sm_80: shared bytes 16384, barriers 0
// lanewise.args x = integers(-3, 3), y = empty() ; grid = 1
gpu.func @f(%x: memref<2048xf32>, %y: memref<2048xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %p = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<2048xf32, #gpu.address_space<workgroup>>
  %b = memref.alloc() : memref<2048xf32, #gpu.address_space<workgroup>>
  %v = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<2048xf32>, vector<2048xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    vector.transfer_write %v, %a[%c0] {in_bounds = [true]} : vector<2048xf32>, memref<2048xf32, #gpu.address_space<workgroup>>
    %w = vector.transfer_read %a[%c0], %p {in_bounds = [true]} : memref<2048xf32, #gpu.address_space<workgroup>>, vector<2048xf32>
    %u = arith.addf %w, %w : vector<2048xf32>
    vector.transfer_write %u, %b[%c0] {in_bounds = [true]} : vector<2048xf32>, memref<2048xf32, #gpu.address_space<workgroup>>
    %t = vector.transfer_read %b[%c0], %p {in_bounds = [true]} : memref<2048xf32, #gpu.address_space<workgroup>>, vector<2048xf32>
    vector.transfer_write %t, %y[%c0] {in_bounds = [true]} : vector<2048xf32>, memref<2048xf32>
  }
  gpu.return
}
// -----
// What puts a result together for stores of 16 bytes lies where the ring was: of 64 x 32 + 32 x 72 numbers there are three tiles,
// 26112 bytes, of which five workgroups fit; with 64 x 64 x 2 bytes more there were four. A thread stores 64 x 64 / 128 / 8 times.
// One barrier in the loop, one behind it, one between the stores and the loads.
// expect sm_80: shared bytes 26112, barriers 3, stores 4, mma 16
// lanewise.args M = 64, N = 64, K = 96 : a = integers(-3, 3, M, K), b = integers(-3, 3, K, N), c = empty(M, N) ; grid = (ceildiv(N, 64), ceildiv(M, 64), 1)
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @matmul(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<64x64xf32>
  %x = gpu.block_id x
  %y = gpu.block_id y
  %n = arith.muli %x, %c64 : index
  %m = arith.muli %y, %c64 : index
  %depth = memref.dim %A, %c1 : memref<?x?xf16>
  %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %a = vector.transfer_read %A[%m, %k], %pad : memref<?x?xf16>, vector<64x32xf16>
    %b = vector.transfer_read %B[%k, %n], %pad : memref<?x?xf16>, vector<32x64xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %acc : vector<64x32xf16>, vector<32x64xf16> into vector<64x64xf32>
    scf.yield %next : vector<64x64xf32>
  }
  %half = arith.truncf %sum : vector<64x64xf32> to vector<64x64xf16>
  vector.transfer_write %half, %C[%m, %n] : vector<64x64xf16>, memref<?x?xf16>
  gpu.return
}
