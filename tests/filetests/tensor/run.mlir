// Tensors of an owner are vectors: nothing of them lies in memory.
// test roundtrip
// test run
// test run target=gfx942
// test run target=sm_80
// test run target=gfx1100
// lanewise.args x = index(8, 16), y = empty(8, 16), z = empty(3); grid = 1
// expect sm_90: shared bytes 0, barriers 0
gpu.func @held(%x: memref<8x16xi32>, %y: memref<8x16xi32>, %z: memref<3xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %p = arith.constant 0 : i32
  %all = iree_codegen.load_from_buffer %x : memref<8x16xi32> -> tensor<8x16xi32>
  %v = vector.transfer_read %all[%c0, %c0], %p {in_bounds = [true, true]} : tensor<8x16xi32>, vector<8x16xi32>
  %none = tensor.empty() : tensor<8x16xi32>
  %t = vector.transfer_write %v, %none[%c0, %c0] {in_bounds = [true, true]} : vector<8x16xi32>, tensor<8x16xi32>
  // rows 2 to 5 go to rows 4 to 7
  %part = tensor.extract_slice %t[2, 0] [4, 16] [1, 1] : tensor<8x16xi32> to tensor<4x16xi32>
  %moved = tensor.insert_slice %part into %t[4, 0] [4, 16] [1, 1] : tensor<4x16xi32> into tensor<8x16xi32>
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%so_far = %moved) -> (tensor<8x16xi32>) {
    %a = vector.transfer_read %so_far[%c0, %c0], %p {in_bounds = [true, true]} : tensor<8x16xi32>, vector<8x16xi32>
    %b = arith.addi %a, %v : vector<8x16xi32>
    %next = vector.transfer_write %b, %so_far[%c0, %c0] {in_bounds = [true, true]} : vector<8x16xi32>, tensor<8x16xi32>
    scf.yield %next : tensor<8x16xi32>
  }
  iree_codegen.store_to_buffer %sum, %y : tensor<8x16xi32> into memref<8x16xi32>
  %one = tensor.extract %t[%c1, %c2] : tensor<8x16xi32>
  %rows = tensor.dim %t, %c0 : tensor<8x16xi32>
  %n = arith.index_cast %rows : index to i32
  %few = tensor.from_elements %one, %n, %n : tensor<3xi32>
  %fewer = tensor.insert %one into %few[%c2] : tensor<3xi32>
  bufferization.materialize_in_destination %fewer in writable %z : (tensor<3xi32>, memref<3xi32>) -> ()
  gpu.return
}
// -----
// Where numbers come at run time an owner's tensor lies in a buffer of its own: a thread's, or the workgroup's.
// lanewise.args x = index(8, 16), y = empty(8, 16), z = empty(4), 3; grid = 1
gpu.func @workgroups(%x: memref<8x16xi32>, %y: memref<8x16xi32>, %z: memref<4xi32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 0 : i32
  %v = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x16xi32>, vector<8x16xi32>
  %zeros = tensor.splat %p : tensor<8x16xi32>
  %t = vector.transfer_write %v, %zeros[%n, %c0] {in_bounds = [false, true]} : vector<8x16xi32>, tensor<8x16xi32>
  %part = tensor.extract_slice %t[%n, 1] [4, 4] [1, 3] : tensor<8x16xi32> to tensor<4x4xi32>
  %u = tensor.insert_slice %part into %t[1, %n] [4, 4] [1, 1] : tensor<4x4xi32> into tensor<8x16xi32>
  bufferization.materialize_in_destination %u in writable %y : (tensor<8x16xi32>, memref<8x16xi32>) -> ()
  %column = tensor.extract_slice %u[%n, 2] [4, 1] [1, 1] : tensor<8x16xi32> to tensor<4xi32>
  %e = tensor.extract %u[%n, %n] : tensor<8x16xi32>
  %last = tensor.insert %e into %column[%c1] : tensor<4xi32>
  iree_codegen.store_to_buffer %last, %z : tensor<4xi32> into memref<4xi32>
  gpu.return
}
// -----
// lanewise.args x = index(32, 4), y = empty(32, 2); grid = 1
gpu.func @threads(%x: memref<32x4xi32>, %y: memref<32x2xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %p = arith.constant 0 : i32
  %id = gpu.thread_id x
  %v = vector.transfer_read %x[%id, %c0], %p {in_bounds = [true]} : memref<32x4xi32>, vector<4xi32>
  %none = tensor.empty() : tensor<4xi32>
  %t = vector.transfer_write %v, %none[%c0] {in_bounds = [true]} : vector<4xi32>, tensor<4xi32>
  %at = arith.remui %id, %c3 : index
  %part = tensor.extract_slice %t[%at] [2] [1] : tensor<4xi32> to tensor<2xi32>
  %row = memref.subview %y[%id, 0] [1, 2] [1, 1] : memref<32x2xi32> to memref<2xi32, strided<[1], offset: ?>>
  bufferization.materialize_in_destination %part in writable %row
    : (tensor<2xi32>, memref<2xi32, strided<[1], offset: ?>>) -> ()
  gpu.return
}
// -----
// Workgroups write in place to what a buffer holds, in their tiles threads; nothing is copied.
// lanewise.args x = normal(7, 64), y = zeros(7, 64); grid = 7
// expect sm_90: barriers 0, shared bytes 0
gpu.func @in_place(%x: memref<7x64xf32>, %y: memref<7x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %from = bufferization.to_tensor %x restrict : memref<7x64xf32> to tensor<7x64xf32>
  %to = bufferization.to_tensor %y restrict writable : memref<7x64xf32> to tensor<7x64xf32>
  %done = scf.forall (%i) in (7) shared_outs(%rows = %to) -> (tensor<7x64xf32>) {
    %row = tensor.extract_slice %rows[%i, 0] [1, 64] [1, 1] : tensor<7x64xf32> to tensor<64xf32>
    %new = scf.forall (%j) = (0) to (64) step (2) shared_outs(%o = %row) -> (tensor<64xf32>) {
      %v = vector.transfer_read %from[%i, %j], %p {in_bounds = [true]} : tensor<7x64xf32>, vector<2xf32>
      %w = arith.addf %v, %v : vector<2xf32>
      %none = tensor.empty() : tensor<2xf32>
      %t = vector.transfer_write %w, %none[%c0] {in_bounds = [true]} : vector<2xf32>, tensor<2xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %t into %o[%j] [2] [1] : tensor<2xf32> into tensor<64xf32>
      }
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %new into %rows[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<7x64xf32>
    }
  } {mapping = [#gpu.block<x>]}
  bufferization.materialize_in_destination %done in restrict writable %y
    : (tensor<7x64xf32>, memref<7x64xf32>) -> ()
  gpu.return
}
// -----
// Threads put a tensor together again and again, in a loop, from what the one before was.
// lanewise.args y = empty(64); grid = 1
gpu.func @repeated(%y: memref<64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %c64 = arith.constant 64 : index
  %id = gpu.thread_id x
  %i0 = arith.index_cast %id : index to i32
  %end = scf.for %k = %c0 to %c3 step %c1 iter_args(%mine = %i0) -> (i32) {
    %one = tensor.from_elements %mine : tensor<1xi32>
    %empty = tensor.empty() : tensor<64xi32>
    %all = scf.forall (%j) in (64) shared_outs(%o = %empty) -> (tensor<64xi32>) {
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %one into %o[%j] [1] [1] : tensor<1xi32> into tensor<64xi32>
      }
    } {mapping = [#gpu.thread<x>]}
    %far = arith.addi %id, %c7 : index
    %other = arith.remui %far, %c64 : index
    %next = tensor.extract %all[%other] : tensor<64xi32>
    scf.yield %next : i32
  }
  memref.store %end, %y[%id] : memref<64xi32>
  gpu.return
}
