// test roundtrip
// test run target=sm_80
// test run target=sm_80 M=29 N=40
// test run target=sm_90 M=29 N=37
// test run target=gfx1100 M=29 N=37
// test run target=gfx942
// Two tiles of 16 columns are copied while the last one is used. Of each element that is outside of %A nothing is read.
// Chips without such copies copy at once. One barrier a trip: what landed is there for all behind it, and all have read
// what the next copy overwrites.
// expect sm_80: barriers 1, loads 0, shared bytes 2048
// lanewise.args M = 32, N = 48 : a = normal(M, N), c = empty(32, N) ; grid = 1
gpu.func @two_buffers(%A: memref<?x?xf16>, %C: memref<32x?xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %pad = arith.constant 0.0 : f16
  %N = memref.dim %A, %c1 : memref<?x?xf16>
  %two = memref.alloc() : memref<2x32x16xf16, #gpu.address_space<workgroup>>
  %first = lanewise.async_copy %A[%c0, %c0], %two[%c0, %c0, %c0] {shape = array<i64: 32, 16>}
    : memref<?x?xf16> to memref<2x32x16xf16, #gpu.address_space<workgroup>>
  %before = nvgpu.device_async_create_group %first
  %r = scf.for %j = %c0 to %N step %c16 iter_args(%slot = %c0) -> (index) {
    nvgpu.device_async_wait %before numGroups = 0
    %ahead = arith.addi %j, %c16 : index
    %more = arith.cmpi ult, %ahead, %N : index
    %other = arith.subi %c1, %slot : index
    %next = lanewise.async_copy %A[%c0, %ahead], %two[%other, %c0, %c0] if %more {shape = array<i64: 32, 16>}
      : memref<?x?xf16> to memref<2x32x16xf16, #gpu.address_space<workgroup>>
    %group = nvgpu.device_async_create_group %next
    %x = vector.transfer_read %two[%slot, %c0, %c0], %pad {in_bounds = [true, true]}
      : memref<2x32x16xf16, #gpu.address_space<workgroup>>, vector<32x16xf16>
    %y = arith.addf %x, %x : vector<32x16xf16>
    vector.transfer_write %y, %C[%c0, %j] : vector<32x16xf16>, memref<32x?xf16>
    scf.yield %other : index
  }
  gpu.return
}
