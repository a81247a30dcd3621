// A barrier at the head of a loop, a store at its end: the wave waits for its store before it goes around.
// test run target=gfx90a
// test run target=gfx942
// test run target=gfx1030
// test run target=gfx1100
// test run target=gfx1201
// test run target=gfx1250
// lanewise.args n = 17, o = empty(1); grid = 1
gpu.func @to_workgroup_memory(%n: index, %o: memref<1xf64>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %m = memref.alloc() : memref<6xf64, #gpu.address_space<workgroup>>
  %v = arith.constant dense<1.0> : vector<2xf64>
  %one = arith.constant 1.0 : f64
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %n step %c16 {
    gpu.barrier
    vector.transfer_write %v, %m[%c0] : vector<2xf64>, memref<6xf64, #gpu.address_space<workgroup>>
  }
  memref.store %one, %o[%c0] : memref<1xf64>
  gpu.return
}
// -----
// The same for global memory, which the barrier orders because the kernel reads what it writes.
// lanewise.args n = 3, x = index(256); grid = 1
gpu.func @to_global_memory(%n: index, %x: memref<256xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    gpu.barrier
    %0 = vector.transfer_read %x[%i], %pad : memref<256xf32>, vector<128xf32>
    gpu.barrier
    vector.transfer_write %0, %x[%c0] : vector<128xf32>, memref<256xf32>
  }
  gpu.return
}
