// What a lane says to caches changes nothing, on gfx1250: with speculation also beyond the end.
// test roundtrip
// test run target=gfx1250
// lanewise.args x = index(64, 4), y = empty(64)
gpu.func @ahead(%x: memref<64x4xf32, #gpu.address_space<global>>, %y: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %i = arith.index_cast %id : index to i64
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %beyond = arith.addi %i, %c64 : i64
  amdgpu.global_prefetch %x[%i, %c0] HT WGP : memref<64x4xf32, #gpu.address_space<global>>
  amdgpu.global_prefetch %x[%beyond, %c0] NT_RT SE speculative : memref<64x4xf32, #gpu.address_space<global>>
  %c1 = arith.constant 1 : index
  %v = memref.load %x[%id, %c1] : memref<64x4xf32, #gpu.address_space<global>>
  memref.store %v, %y[%id] : memref<64xf32>
  gpu.return
}
