// Tensors are values, whatever buffers they lie in; tests/frontdoor/test_tensors.py has the numbers.
// test run
// test run target=gfx942
// A slice of a tensor that is still used is another tensor.
// lanewise.args x = index(64), y = empty(64), z = empty(64); grid = 1
gpu.func @alias_slice(%x: memref<64xi32>, %y: memref<64xi32>, %z: memref<64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %id = gpu.thread_id x
  %c1 = arith.constant 1000 : i32
  %empty = tensor.empty() : tensor<64xi32>
  %v = memref.load %x[%id] : memref<64xi32>
  %one = tensor.from_elements %v : tensor<1xi32>
  %a = scf.forall (%j) in (64) shared_outs(%o = %empty) -> (tensor<64xi32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %one into %o[%j] [1] [1] : tensor<1xi32> into tensor<64xi32>
    }
  } {mapping = [#gpu.thread<x>]}
  %s = tensor.extract_slice %a[0] [32] [1] : tensor<64xi32> to tensor<32xi32>
  %two = tensor.from_elements %c1 : tensor<1xi32>
  %b = scf.forall (%j) in (32) shared_outs(%o = %s) -> (tensor<32xi32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %two into %o[%j] [1] [1] : tensor<1xi32> into tensor<32xi32>
    }
  } {mapping = [#gpu.thread<x>]}
  %old = tensor.extract %a[%id] : tensor<64xi32>
  memref.store %old, %y[%id] : memref<64xi32>
  %c32 = arith.constant 32 : index
  %h = arith.remui %id, %c32 : index
  %new = tensor.extract %b[%h] : tensor<32xi32>
  memref.store %new, %z[%id] : memref<64xi32>
  gpu.return
}
// -----
// What is loaded from a buffer is what it holds there and then.
// lanewise.args x = index(64), y = empty(64); grid = 1
gpu.func @swap(%x: memref<64xi32>, %y: memref<64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<7> : vector<64xi32>
  %e = tensor.empty() : tensor<64xi32>
  %s = vector.transfer_write %v, %e[%c0] {in_bounds = [true]} : vector<64xi32>, tensor<64xi32>
  %t = iree_codegen.load_from_buffer %x : memref<64xi32> -> tensor<64xi32>
  iree_codegen.store_to_buffer %s, %x : tensor<64xi32> into memref<64xi32>
  iree_codegen.store_to_buffer %t, %y : tensor<64xi32> into memref<64xi32>
  gpu.return
}
// -----
// A tensor from outside of a loop begins anew in each iteration.
// lanewise.args x = zeros(64), y = empty(4, 64); grid = 1
gpu.func @loop_in_place(%x: memref<64xi32>, %y: memref<4x64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  %id = gpu.thread_id x
  %to = bufferization.to_tensor %x restrict writable : memref<64xi32> to tensor<64xi32>
  %t1 = tensor.from_elements %one : tensor<1xi32>
  scf.for %i = %c0 to %c4 step %c1 {
    %a = scf.forall (%j) in (1) shared_outs(%o = %to) -> (tensor<64xi32>) {
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %t1 into %o[%i] [1] [1] : tensor<1xi32> into tensor<64xi32>
      }
    } {mapping = [#gpu.thread<x>]}
    %old = tensor.extract %a[%id] : tensor<64xi32>
    memref.store %old, %y[%i, %id] : memref<4x64xi32>
  }
  gpu.return
}
// -----
// All threads begin with the same numbers.
// lanewise.args y = empty(64); grid = 1
gpu.func @init_vector(%y: memref<64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %nine = arith.constant 9 : i32
  %one = arith.constant 1 : i32
  %t1 = tensor.from_elements %one : tensor<1xi32>
  %e = tensor.splat %nine : tensor<64xi32>
  %a = scf.forall (%j) in (32) shared_outs(%o = %e) -> (tensor<64xi32>) {
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %t1 into %o[%j] [1] [1] : tensor<1xi32> into tensor<64xi32>
      }
    } {mapping = [#gpu.thread<x>]}
  %old = tensor.extract %a[%id] : tensor<64xi32>
  memref.store %old, %y[%id] : memref<64xi32>
  gpu.return
}
// -----
// In an iteration an output is what it began as.
// lanewise.args y = empty(64), z = empty(64); grid = 1
gpu.func @beginning(%y: memref<64xi32>, %z: memref<64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c63 = arith.constant 63 : index
  %id = gpu.thread_id x
  %r = arith.subi %c63, %id : index
  %t1 = tensor.from_elements %c1 : tensor<1xi32>
  %t2 = tensor.from_elements %c2 : tensor<1xi32>
  %e = tensor.empty() : tensor<64xi32>
  %a = scf.forall (%j) in (64) shared_outs(%o = %e) -> (tensor<64xi32>) {
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %t1 into %o[%j] [1] [1] : tensor<1xi32> into tensor<64xi32>
      }
  } {mapping = [#gpu.thread<x>]}
  %b = scf.forall (%j) in (64) shared_outs(%o = %a) -> (tensor<64xi32>) {
      %v = tensor.extract %o[%r] : tensor<64xi32>
      memref.store %v, %y[%j] : memref<64xi32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %t2 into %o[%j] [1] [1] : tensor<1xi32> into tensor<64xi32>
      }
  } {mapping = [#gpu.thread<x>]}
  %v = tensor.extract %b[%r] : tensor<64xi32>
  memref.store %v, %z[%id] : memref<64xi32>
  gpu.return
}
// -----
// Extents of what has no elements yet: of 5x3x7 the last and the second, the last by a place that is computed; 2 of a slice.
// lanewise.args y = empty(4), n = 7, which = 2, some = 2; grid = 1
// prints ( 7, 3, 7, 2 )
gpu.func @extents(%y: memref<4xindex>, %n: index, %which: index, %some: index) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e = tensor.empty(%n) : tensor<5x3x?xf32>
  %0 = tensor.dim %e, %c2 : tensor<5x3x?xf32>
  %1 = tensor.dim %e, %c1 : tensor<5x3x?xf32>
  %2 = tensor.dim %e, %which : tensor<5x3x?xf32>
  %s = tensor.extract_slice %e[0, 0, 0] [1, 3, %some] [1, 1, 1] : tensor<5x3x?xf32> to tensor<3x?xf32>
  %3 = tensor.dim %s, %c1 : tensor<3x?xf32>
  %all = vector.from_elements %0, %1, %2, %3 : vector<4xindex>
  vector.print %all : vector<4xindex>
  vector.transfer_write %all, %y[%c0] : vector<4xindex>, memref<4xindex>
  gpu.return
}
