// What has no meaning on a machine, by name.
// test compile
gpu.module @m {
  gpu.func @shared(%y: memref<4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %b = memref.alloca() : memref<4xf32> // expected-error {{is memory of each thread, in a workgroup's program}}
    %e = memref.load %b[%c0] : memref<4xf32>
    memref.store %e, %y[%c0] : memref<4xf32>
    gpu.return
  }
}
// -----
gpu.module @m {
  gpu.func @moved(%y: memref<4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %b = memref.memory_space_cast %y : memref<4xf32> to memref<4xf32, #gpu.address_space<workgroup>> // expected-error {{a buffer stays in the memory that it was made in}}
    memref.store %p, %b[%c0] : memref<4xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
// -----
gpu.module @m {
  gpu.func @code(%y: memref<4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    memref.prefetch %y[%c0], read, locality<3>, instr : memref<4xf32> // expected-error {{prefetches into the instruction cache}}
    gpu.return
  }
}
// -----
gpu.module @m {
  gpu.func @own(%y: memref<4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
    %c0 = arith.constant 0 : index
    %b = memref.alloca() : memref<4xf32>
    %o = memref.generic_atomic_rmw %b[%c0] : memref<4xf32> { // expected-error {{updates memory of a single thread, which nobody else sees}}
    ^bb0(%v: f32):
      memref.atomic_yield %v : f32
    }
    gpu.return
  }
}
// -----
gpu.module @m {
  gpu.func @bytes(%n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %all = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %w = memref.view %all[%n][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<4xf32, #gpu.address_space<workgroup>> // expected-error {{does not say how many bytes of gpu.dynamic_shared_memory a launch has to give}}
    gpu.return
  }
}
// -----
gpu.module @m {
  gpu.func @handed(%c: i1) kernel attributes {known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
    %a = memref.alloca() : memref<4xf32>
    %b = memref.alloca() : memref<4xf32>
    %0 = scf.if %c -> (memref<4xf32>) { // expected-error {{whose type does not name the memory that it lies in}}
      scf.yield %a : memref<4xf32>
    } else {
      scf.yield %b : memref<4xf32>
    }
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    memref.store %p, %0[%c0] : memref<4xf32>
    gpu.return
  }
}
// -----
gpu.func @strided(%x: memref<64xf32>, %y: memref<64xf32>, %t: memref<1xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c8 = arith.constant 8 : index
  // expected-error@+1 {{copies with a stride: upstream does not say of which of the two buffers it is}}
  memref.dma_start %x[%c8], %y[%c8], %c8, %t[%c8], %c8, %c8 : memref<64xf32>, memref<64xf32>, memref<1xi32>
  gpu.return
}
