// Memory of single threads: each reverses a row in a buffer of its own, with an index that only the loop knows.
// test roundtrip
// test run
// test run target=gfx942
// test run target=gfx1100
// test run target=sm_80
// lanewise.args x = index(64, 8), y = empty(64, 8)
// expect sm_90: barriers 0
gpu.func @reversed(%x: memref<64x8xf32>, %y: memref<64x8xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %id = gpu.thread_id x
  %n = memref.alloca_scope -> (index) {
    %row = memref.alloca() : memref<8xf32>
    scf.for %i = %c0 to %c8 step %c1 {
      %a = memref.load %x[%id, %i] : memref<64x8xf32>
      %j = arith.subi %c7, %i : index
      memref.store %a, %row[%j] : memref<8xf32>
    }
    scf.for %i = %c0 to %c8 step %c1 {
      %shift = arith.addi %i, %id : index
      %j = arith.remui %shift, %c8 : index
      %a = memref.load %row[%j] : memref<8xf32>
      memref.prefetch %x[%id, %i], read, locality<3>, data : memref<64x8xf32>
      memref.store %a, %y[%id, %j] : memref<64x8xf32>
    }
    memref.alloca_scope.return %c7 : index
  }
  %named = memref.alloca() : memref<1xf32, #gpu.address_space<private>>
  %any = memref.memory_space_cast %named : memref<1xf32, #gpu.address_space<private>> to memref<1xf32>
  %last = memref.load %x[%id, %n] : memref<64x8xf32>
  memref.store %last, %any[%c0] : memref<1xf32>
  %again = memref.load %named[%c0] : memref<1xf32, #gpu.address_space<private>>
  memref.store %again, %y[%id, %c0] : memref<64x8xf32>
  gpu.return
}
