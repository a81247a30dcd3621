// test roundtrip
// test run
// test run target=gfx942
// test run target=sm_80
// test run target=gfx1100
// Subgroups wait for each other, and for no memory: the numbers that they hand on have a barrier of their own.
// expect gfx942: barriers 2
// lanewise.args x = normal(256), y = empty(256) ; grid = 1
gpu.func @f(%x: memref<256xf32>, %y: memref<256xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>, lanewise.scope = "thread"} {
  %t = gpu.thread_id x
  %last = arith.constant 255 : index
  %s = memref.alloc() : memref<256xf32, #gpu.address_space<workgroup>>
  %v = memref.load %x[%t] : memref<256xf32>
  memref.store %v, %s[%t] : memref<256xf32, #gpu.address_space<workgroup>>
  iree_gpu.global_subgroup_barrier
  gpu.barrier
  %other = arith.subi %last, %t : index
  %w = memref.load %s[%other] : memref<256xf32, #gpu.address_space<workgroup>>
  memref.store %w, %y[%t] : memref<256xf32>
  gpu.return
}
// -----
// Of a workgroup's own program all is in order anyway.
// expect gfx942: barriers 1
// lanewise.args x = normal(256), y = empty(256) ; grid = 1
gpu.func @of_a_workgroup(%x: memref<256xf32>, %y: memref<256xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<256xf32>, vector<256xf32>
  iree_gpu.global_subgroup_barrier
  vector.transfer_write %v, %y[%c0] {in_bounds = [true]} : vector<256xf32>, memref<256xf32>
  gpu.return
}
