// Half bytes in memory of one thread: an element is put into its byte, and the other half stays.
// test roundtrip
// test run target=sm_80
// test run target=gfx1100
// lanewise.args x = integers(-8, 7, 64), y = empty(64)
gpu.module @m {
  gpu.func @k(%x: memref<64xi4>, %y: memref<64xi8>) kernel attributes {known_block_size = array<i32: 8, 1, 1>, lanewise.scope = "thread"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %p = memref.alloca() : memref<8xi4>
    %t = gpu.thread_id x
    %s = arith.muli %t, %c8 : index
    scf.for %i = %c0 to %c8 step %c1 {
      %j = arith.addi %s, %i : index
      %v = memref.load %x[%j] : memref<64xi4>
      memref.store %v, %p[%i] : memref<8xi4>
    }
    scf.for %i = %c0 to %c8 step %c1 {
      %j = arith.addi %s, %i : index
      %v = memref.load %p[%i] : memref<8xi4>
      %w = arith.extsi %v : i4 to i8
      memref.store %w, %y[%j] : memref<64xi8>
    }
    gpu.return
  }
}
