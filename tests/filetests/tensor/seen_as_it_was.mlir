// What is seen of a tensor beside a change of it, or before, is what it was: element i of y is i.
// test run
// prints 0
// lanewise.args y = index(64); grid = 2
gpu.func @nested(%y: memref<64xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<99> : tensor<1xi32>
  %t = bufferization.to_tensor %y restrict writable : memref<64xi32> to tensor<64xi32>
  %u = scf.forall (%i) in (2) shared_outs(%o = %t) -> (tensor<64xi32>) {
    %c32 = arith.constant 32 : index
    %at = arith.muli %i, %c32 : index
    %a = tensor.extract_slice %o[%at] [32] [1] : tensor<64xi32> to tensor<32xi32>
    %b = tensor.extract_slice %o[%at] [32] [1] : tensor<64xi32> to tensor<32xi32>
    %w = scf.forall (%j) in (32) shared_outs(%p = %a) -> (tensor<32xi32>) {
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %v into %p[%j] [1] [1] : tensor<1xi32> into tensor<32xi32>
      }
    } {mapping = [#gpu.thread<x>]}
    %e = tensor.extract %b[%c0] : tensor<32xi32>
    %c = arith.cmpi eq, %i, %c0 : index
    scf.if %c { vector.print %e : i32 }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %w into %o[%at] [32] [1] : tensor<32xi32> into tensor<64xi32>
    }
  } {mapping = [#gpu.block<x>]}
  bufferization.materialize_in_destination %u in restrict writable %y : (tensor<64xi32>, memref<64xi32>) -> ()
  gpu.return
}
// -----
// prints 3
// prints 99
// lanewise.args y = index(12), n = 3; grid = 1
gpu.func @seen_before(%y: memref<?xi32>, %n: index) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %v = arith.constant 99 : i32
  %t = bufferization.to_tensor %y restrict writable : memref<?xi32> to tensor<?xi32>
  %b = iree_gpu.value_barrier %t : tensor<?xi32>
  %e = tensor.extract %b[%n] : tensor<?xi32>
  %u = tensor.insert %v into %t[%n] : tensor<?xi32>
  %w = tensor.extract %u[%n] : tensor<?xi32>
  vector.print %e : i32
  vector.print %w : i32
  gpu.return
}
// -----
// A change that nobody uses is none, in a loop neither.
// prints 3
// lanewise.args y = index(12), n = 3; grid = 1
gpu.func @unused(%y: memref<?xi32>, %n: index) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c1 = arith.constant 1 : index
  %v = arith.constant 99 : i32
  %t = bufferization.to_tensor %y restrict writable : memref<?xi32> to tensor<?xi32>
  %u = scf.for %i = %c1 to %n step %c1 iter_args(%a = %t) -> tensor<?xi32> {
    %b = tensor.insert %v into %a[%i] : tensor<?xi32>
    scf.yield %b : tensor<?xi32>
  }
  %w = tensor.insert %v into %u[%n] : tensor<?xi32>
  %x = tensor.insert %v into %w[%c1] : tensor<?xi32>
  %e = memref.load %y[%n] : memref<?xi32>
  vector.print %e : i32
  gpu.return
}
