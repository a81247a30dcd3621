// What a copy to LDS may still write, nobody else has: no wait is certain to be met between it and the next use of the bytes.
// test run target=gfx1250
// expect gfx1250: shared bytes 2048
// lanewise.args x = index(64, 4), y = empty(64, 4)
#group = #gpu.address_space<workgroup>
gpu.func @lds(%x: memref<64x4xi32, #gpu.address_space<global>> {llvm.align = 16 : i64}, %y: memref<64x4xi32, #gpu.address_space<global>> {llvm.align = 16 : i64}) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c63 = arith.constant 63 : index
  %s = memref.alloc() : memref<64x4xi32, #group>
  %r = memref.alloc() : memref<64x4xi32, #group>
  %t = gpu.thread_id x
  %other = arith.subi %c63, %t : index
  %v = vector.load %x[%t, %c0] : memref<64x4xi32, #gpu.address_space<global>>, vector<4xi32>
  amdgpu.global_load_async_to_lds %x[%t, %c0], %s[%other, %c0] : vector<4xi32>, memref<64x4xi32, #gpu.address_space<global>>, memref<64x4xi32, #group>
  gpu.barrier
  vector.store %v, %r[%t, %c0] : memref<64x4xi32, #group>, vector<4xi32>
  gpu.barrier
  %u = vector.load %r[%other, %c0] : memref<64x4xi32, #group>, vector<4xi32>
  vector.store %u, %y[%t, %c0] : memref<64x4xi32, #gpu.address_space<global>>, vector<4xi32>
  gpu.return
}
