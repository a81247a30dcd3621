// Loops spread over threads in functions that do not say whose values are: programs of threads, within a workgroup's
// program or instead of it.
// test roundtrip
// test run
// test run target=gfx942
// test run target=sm_80
// test run target=gfx1100
// Nothing else is done: all of it is a thread's program.
// prints 2
// lanewise.args x = normal(128), y = empty(128), z = empty(128); grid = 1
gpu.func @alone(%x: memref<128xf32>, %y: memref<128xf32>, %z: memref<128xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %shared = memref.alloc() : memref<128xf32, #gpu.address_space<workgroup>>
  %c127 = arith.constant 127 : index
  %c63 = arith.constant 63 : index
  scf.forall (%i) in (128) {
    %v = memref.load %x[%i] : memref<128xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %shared[%i] : memref<128xf32, #gpu.address_space<workgroup>>
  } {mapping = [#gpu.thread<linear_dim_0>]}
  scf.forall (%i) in (64) {
    %back = arith.subi %c63, %i : index
    %v = memref.load %shared[%back] : memref<128xf32, #gpu.address_space<workgroup>>
    memref.store %v, %y[%i] : memref<128xf32>
    // what only threads know
    %t = gpu.thread_id x
    %same = arith.cmpi eq, %t, %i : index
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %word = arith.select %same, %two, %one : i32
    %first = arith.cmpi eq, %i, %c63 : index
    scf.if %first {
      vector.print %word : i32
    }
  } {mapping = [#gpu.thread<x>]}
  gpu.return
}
// -----
// A workgroup's vectors before, between and behind: each loop is a program of threads in the workgroup's.
// prints ( 130, 128, 126, 124 )
// lanewise.args x = index(64, 64), y = empty(64); grid = 1
gpu.func @between(%x: memref<64x64xi32>, %y: memref<64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i32
  %ones = arith.constant dense<1> : vector<4xi32>
  %n = memref.load %x[%c0, %c0] : memref<64x64xi32>
  %shared = memref.alloc() : memref<64xi32, #gpu.address_space<workgroup>>
  %diagonal = vector.step : vector<64xindex>
  %as = arith.index_cast %diagonal : vector<64xindex> to vector<64xi32>
  vector.transfer_write %as, %shared[%c0] {in_bounds = [true]} : vector<64xi32>, memref<64xi32, #gpu.address_space<workgroup>>
  %c63 = arith.constant 63 : index
  scf.forall (%i) in (64) {
    %back = arith.subi %c63, %i : index
    %v = memref.load %shared[%back] : memref<64xi32, #gpu.address_space<workgroup>>
    %two = arith.addi %v, %v : i32
    %more = vector.reduction <add>, %ones : vector<4xi32> into i32
    %with = arith.addi %two, %more : i32
    %all = arith.addi %with, %n : i32
    memref.store %all, %y[%i] : memref<64xi32>
  } {mapping = [#gpu.thread<x>]}
  %v = vector.transfer_read %y[%c0], %p {in_bounds = [true]} : memref<64xi32>, vector<4xi32>
  vector.print %v : vector<4xi32>
  gpu.return
}
// -----
// A tensor that a workgroup holds is taken apart and put together by threads.
// prints ( 30, 28, 26, 24 )
// lanewise.args x = index(16), y = empty(16); grid = 1
gpu.func @tensors(%x: memref<16xi32>, %y: memref<16xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c15 = arith.constant 15 : index
  %p = arith.constant 0 : i32
  %v = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<16xi32>, vector<16xi32>
  %w = arith.addi %v, %v : vector<16xi32>
  %none = tensor.empty() : tensor<16xi32>
  %t = vector.transfer_write %w, %none[%c0] {in_bounds = [true]} : vector<16xi32>, tensor<16xi32>
  %turned = scf.forall (%i) in (16) shared_outs(%o = %none) -> tensor<16xi32> {
    %back = arith.subi %c15, %i : index
    %part = tensor.extract_slice %t[%back] [1] [1] : tensor<16xi32> to tensor<1xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %part into %o[%i] [1] [1] : tensor<1xi32> into tensor<16xi32>
    }
  } {mapping = [#gpu.thread<linear_dim_0>]}
  iree_codegen.store_to_buffer %turned, %y : tensor<16xi32> into memref<16xi32>
  %few = tensor.extract_slice %turned[0] [4] [1] : tensor<16xi32> to tensor<4xi32>
  %r = vector.transfer_read %few[%c0], %p {in_bounds = [true]} : tensor<4xi32>, vector<4xi32>
  vector.print %r : vector<4xi32>
  gpu.return
}
// -----
// A subgroup's program, whose lanes have iterations of their own.
// lanewise.args x = index(4, 64), y = empty(4, 64); grid = 1
gpu.func @lanes(%x: memref<4x64xi32>, %y: memref<4x64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.scope = "subgroup"} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %p = arith.constant 0 : i32
  %s = gpu.subgroup_id : index
  scf.forall (%r) in (4) {
    %row = vector.transfer_read %x[%r, %c0], %p {in_bounds = [true]} : memref<4x64xi32>, vector<64xi32>
    vector.transfer_write %row, %y[%r, %c0] {in_bounds = [true]} : vector<64xi32>, memref<4x64xi32>
  } {mapping = [#gpu.warp<x>]}
  gpu.barrier
  %mine = arith.cmpi ult, %s, %c2 : index
  scf.if %mine {
    scf.forall (%i) in (64) {
      %v = memref.load %y[%s, %i] : memref<4x64xi32>
      %w = arith.muli %v, %v : i32
      memref.store %w, %y[%s, %i] : memref<4x64xi32>
    } {mapping = [#iree_gpu.lane_id<0>]}
  }
  gpu.return
}
// -----
// Threads put a tensor together that lies elsewhere in the end: one of them stores it.
// lanewise.args x = index(8), y = empty(8); grid = 1
gpu.func @stored(%x: memref<8xi32>, %y: memref<8xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 8, 1, 1>, lanewise.scope = "thread"} {
  %t = iree_codegen.load_from_buffer %x : memref<8xi32> -> tensor<8xi32>
  %none = tensor.empty() : tensor<8xi32>
  %c7 = arith.constant 7 : index
  %turned = scf.forall (%i) in (8) shared_outs(%o = %none) -> tensor<8xi32> {
    %back = arith.subi %c7, %i : index
    %part = tensor.extract_slice %t[%back] [1] [1] : tensor<8xi32> to tensor<1xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %part into %o[%i] [1] [1] : tensor<1xi32> into tensor<8xi32>
    }
  } {mapping = [#gpu.thread<linear_dim_0>]}
  iree_codegen.store_to_buffer %turned, %y : tensor<8xi32> into memref<8xi32>
  gpu.return
}
