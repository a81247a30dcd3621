// Copies of gfx1250 that each lane makes from its own place to its own place, and waits for by their counter.
// test roundtrip
// test run target=gfx1250
// Every lane reverses its workgroup's row in LDS: 16 bytes a lane at first, of which the second pair is still under way
// while the first is used.
// expect gfx1250: barriers 2, copies 2, shared bytes 2048
// lanewise.args x = index(2, 64, 4), y = empty(2, 64, 4) ; grid = 1
#group = #gpu.address_space<workgroup>
gpu.func @rows(%x: memref<2x64x4xi32, #gpu.address_space<global>> {llvm.align = 16 : i64}, %y: memref<2x64x4xi32, #gpu.address_space<global>> {llvm.align = 16 : i64}) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %s = memref.alloc() : memref<2x64x4xi32, #group>
  %t = gpu.thread_id x
  %other = arith.subi %c63, %t : index
  amdgpu.global_load_async_to_lds %x[%c0, %t, %c0], %s[%c0, %other, %c0] : vector<4xi32>, memref<2x64x4xi32, #gpu.address_space<global>>, memref<2x64x4xi32, #group>
  amdgpu.global_load_async_to_lds %x[%c1, %t, %c0], %s[%c1, %other, %c0] : vector<4xi32>, memref<2x64x4xi32, #gpu.address_space<global>>, memref<2x64x4xi32, #group>
  rocdl.s.wait.asynccnt 1
  gpu.barrier
  %u = vector.load %s[%c0, %t, %c0] : memref<2x64x4xi32, #group>, vector<4xi32>
  vector.store %u, %y[%c0, %t, %c0] : memref<2x64x4xi32, #gpu.address_space<global>>, vector<4xi32>
  rocdl.s.wait.asynccnt 0
  gpu.barrier
  %v = vector.load %s[%c1, %t, %c0] : memref<2x64x4xi32, #group>, vector<4xi32>
  vector.store %v, %y[%c1, %t, %c0] : memref<2x64x4xi32, #gpu.address_space<global>>, vector<4xi32>
  gpu.return
}
// -----
// Of bytes, and pairs; what the mask leaves out stays what it was.
// lanewise.args x = index(64), w = index(64, 2), y = empty(64), z = empty(64, 2) ; grid = 1
#group = #gpu.address_space<workgroup>
gpu.func @masked(%x: memref<64xi8, #gpu.address_space<global>>, %w: memref<64x2xf32, #gpu.address_space<global>> {llvm.align = 16 : i64}, %y: memref<64xi8, #gpu.address_space<global>>, %z: memref<64x2xf32, #gpu.address_space<global>>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c63 = arith.constant 63 : index
  %s = memref.alloc() : memref<64xi8, #group>
  %r = memref.alloc() {alignment = 16 : i64} : memref<64x2xf32, #group>
  %t = gpu.thread_id x
  %old = arith.constant 77 : i8
  memref.store %old, %s[%t] : memref<64xi8, #group>
  gpu.barrier
  %third = arith.remui %t, %c3 : index
  %mask = arith.cmpi ne, %third, %c0 : index
  amdgpu.global_load_async_to_lds %x[%t], %s[%t], %mask : i8, memref<64xi8, #gpu.address_space<global>>, memref<64xi8, #group>
  amdgpu.global_load_async_to_lds %w[%t, %c0], %r[%t, %c0] : vector<2xf32>, memref<64x2xf32, #gpu.address_space<global>>, memref<64x2xf32, #group>
  rocdl.s.wait.asynccnt 0
  gpu.barrier
  %i = arith.subi %c63, %t : index
  %v = memref.load %s[%i] : memref<64xi8, #group>
  memref.store %v, %y[%t] : memref<64xi8, #gpu.address_space<global>>
  %u = vector.load %r[%i, %c0] : memref<64x2xf32, #group>, vector<2xf32>
  vector.store %u, %z[%t, %c0] : memref<64x2xf32, #gpu.address_space<global>>, vector<2xf32>
  gpu.return
}
