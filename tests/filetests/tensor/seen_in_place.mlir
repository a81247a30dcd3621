// What a tensor was stays what it was: where it would be seen behind a change of it in its buffer, through whatever lies
// there too, the change is refused.
// test layout
gpu.func @barrier(%y: memref<?xi32>, %v: i32, %n: index) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %t = bufferization.to_tensor %y restrict writable : memref<?xi32> to tensor<?xi32>
  %b = iree_gpu.value_barrier %t : tensor<?xi32>
  // expected-error@+1 {{needs all elements of a tensor<?xi32>}}
  %u = tensor.insert %v into %t[%n] : tensor<?xi32>
  %e = tensor.extract %b[%n] : tensor<?xi32>
  %w = tensor.extract %u[%n] : tensor<?xi32>
  vector.print %e : i32
  vector.print %w : i32
  gpu.return
}
// -----
gpu.func @resource(%y: memref<?xi32>, %v: i32, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %t = bufferization.to_tensor %y restrict writable : memref<?xi32> to tensor<?xi32>
  %b = iree_gpu.buffer_resource_cast %t : tensor<?xi32>
  // expected-error@+1 {{needs all elements of a tensor<?xi32>}}
  %u = tensor.insert %v into %t[%n] : tensor<?xi32>
  %e = tensor.extract %b[%n] : tensor<?xi32>
  %w = tensor.extract %u[%n] : tensor<?xi32>
  vector.print %e : i32
  vector.print %w : i32
  gpu.return
}
// -----
gpu.func @copied(%y: memref<?xi32>, %v: i32, %n: index) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %t = bufferization.to_tensor %y restrict writable : memref<?xi32> to tensor<?xi32>
  %b = bufferization.alloc_tensor() copy(%t) : tensor<?xi32>
  // expected-error@+1 {{needs all elements of a tensor<?xi32>}}
  %u = tensor.insert %v into %t[%n] : tensor<?xi32>
  %e = tensor.extract %b[%n] : tensor<?xi32>
  %w = tensor.extract %u[%n] : tensor<?xi32>
  vector.print %e : i32
  vector.print %w : i32
  gpu.return
}
// -----
// A view of a view.
gpu.func @through_two(%y: memref<?xi32>, %v: i32, %n: index) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %t = bufferization.to_tensor %y restrict writable : memref<?xi32> to tensor<?xi32>
  %b = iree_gpu.value_barrier %t : tensor<?xi32>
  %s = tensor.extract_slice %b[1] [4] [1] : tensor<?xi32> to tensor<4xi32>
  // expected-error@+1 {{needs all elements of a tensor<?xi32>}}
  %u = tensor.insert %v into %t[%n] : tensor<?xi32>
  %e = tensor.extract %s[%n] : tensor<4xi32>
  %w = tensor.extract %u[%n] : tensor<?xi32>
  vector.print %e : i32
  vector.print %w : i32
  gpu.return
}
// -----
gpu.func @loaded(%y: memref<?xi32>, %v: i32, %n: index) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  // expected-error@+1 {{needs all elements of a tensor<?xi32>}}
  %b = iree_codegen.load_from_buffer %y : memref<?xi32> -> tensor<?xi32>
  %t = bufferization.to_tensor %y restrict writable : memref<?xi32> to tensor<?xi32>
  %u = tensor.insert %v into %t[%n] : tensor<?xi32>
  %e = tensor.extract %b[%n] : tensor<?xi32>
  %w = tensor.extract %u[%n] : tensor<?xi32>
  vector.print %e : i32
  vector.print %w : i32
  gpu.return
}
// -----
// The same slice of a loop's output twice, one of which is changed.
gpu.func @siblings(%y: memref<?xi32>, %v: i32, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %t = bufferization.to_tensor %y restrict writable : memref<?xi32> to tensor<?xi32>
  %u = scf.forall (%i) in (32) shared_outs(%o = %t) -> (tensor<?xi32>) {
    %at = arith.muli %i, %n : index
    %a = tensor.extract_slice %o[%at] [%n] [1] : tensor<?xi32> to tensor<?xi32>
    %b = tensor.extract_slice %o[%at] [%n] [1] : tensor<?xi32> to tensor<?xi32>
    // expected-error@+1 {{needs all elements of a tensor<?xi32>}}
    %w = tensor.insert %v into %a[%c0] : tensor<?xi32>
    %e = tensor.extract %b[%c0] : tensor<?xi32>
    vector.print %e : i32
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %w into %o[%at] [%n] [1] : tensor<?xi32> into tensor<?xi32>
    }
  } {mapping = [#gpu.thread<x>]}
  bufferization.materialize_in_destination %u in restrict writable %y : (tensor<?xi32>, memref<?xi32>) -> ()
  gpu.return
}
