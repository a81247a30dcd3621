// What a kernel cannot do with tensors is said where it stands.
// test layout
gpu.func @joined(%x: memref<4xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %t = iree_codegen.load_from_buffer %x : memref<4xf32> -> tensor<4xf32>
  // expected-error@+1 {{is of tensors, which it cannot be in a kernel}}
  %u = scf.parallel (%i) = (%c0) to (%c4) step (%c1) init (%t) -> tensor<4xf32> {
    scf.reduce(%t : tensor<4xf32>) {
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
      scf.reduce.return %a : tensor<4xf32>
    }
  }
  gpu.return
}
// -----
gpu.func @unknown(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %t = iree_codegen.load_from_buffer %x : memref<?xf32> -> tensor<?xf32>
  %u = iree_gpu.value_barrier %t : tensor<?xf32>
  // expected-error@+1 {{needs all elements of a tensor<?xf32>}}
  %v = iree_gpu.barrier_region ins(%u : tensor<?xf32>) {
  ^bb0(%all: tensor<?xf32>):
    iree_gpu.yield %all : tensor<?xf32>
  } : tensor<?xf32>
  gpu.return
}
// -----
gpu.func @blocks(%y: memref<4xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %e = tensor.empty() : tensor<4xf32>
  %z = arith.constant 0.0 : f32
  %s = tensor.splat %z : tensor<1xf32>
  // expected-error@+1 {{lets workgroups put a tensor together that lies in no buffer of theirs}}
  %t = scf.forall (%i) in (4) shared_outs(%o = %e) -> (tensor<4xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  } {mapping = [#gpu.block<x>]}
  gpu.return
}
// -----
gpu.func @lanes(%y: memref<4xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %e = tensor.empty() : tensor<4xf32>
  %z = arith.constant 0.0 : f32
  %s = tensor.splat %z : tensor<1xf32>
  // expected-error@+1 {{lets the lanes of each subgroup put a tensor of their own together}}
  %t = scf.forall (%i) in (4) shared_outs(%o = %e) -> (tensor<4xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  } {mapping = [#iree_gpu.lane_id<0>]}
  gpu.return
}
// -----
gpu.func @subgroups(%y: memref<4xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "subgroup"} {
  %z = arith.constant 0.0 : f32
  %s = tensor.splat %z : tensor<4xf32>
  // expected-error@+1 {{needs a buffer that is a subgroup's own}}
  %t = tensor.extract %s[%n] : tensor<4xf32>
  memref.store %t, %y[%n] : memref<4xf32>
  gpu.return
}
// -----
gpu.func @seen_after(%x: memref<?xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %z = arith.constant 0.0 : f32
  %t = bufferization.to_tensor %x writable : memref<?xf32> to tensor<?xf32>
  // expected-error@+1 {{needs all elements of a tensor<?xf32>}}
  %u = tensor.insert %z into %t[%n] : tensor<?xf32>
  %was = tensor.extract %t[%n] : tensor<?xf32>
  %w = tensor.insert %was into %u[%n] : tensor<?xf32>
  bufferization.materialize_in_destination %w in writable %x : (tensor<?xf32>, memref<?xf32>) -> ()
  gpu.return
}
// -----
gpu.func @other(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = bufferization.to_tensor %x writable : memref<?xf32> to tensor<?xf32>
  %u = bufferization.to_tensor %y : memref<?xf32> to tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> (tensor<?xf32>) {
    // expected-error@+1 {{hands on a tensor<?xf32> that is not the one it was given, changed}}
    scf.yield %u : tensor<?xf32>
  }
  bufferization.materialize_in_destination %r in writable %x : (tensor<?xf32>, memref<?xf32>) -> ()
  gpu.return
}
// -----
gpu.func @coordinates(%x: memref<4x8xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %t = bufferization.to_tensor %x restrict : memref<4x8xf32> to tensor<4x8xf32>
  %c = arith.constant dense<1> : tensor<3x2xindex>
  // expected-error@+1 {{takes coordinates out of a tensor, which no kernel of lanewise does}}
  %g = tensor.gather %t[%c] gather_dims([0, 1]) unique : (tensor<4x8xf32>, tensor<3x2xindex>) -> tensor<3x1x1xf32>
  gpu.return
}
// -----
gpu.func @coordinates_to(%x: memref<4x8xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %t = bufferization.to_tensor %x restrict : memref<4x8xf32> to tensor<4x8xf32>
  %s = arith.constant dense<1.0> : tensor<3x1x1xf32>
  %c = arith.constant dense<1> : tensor<3x2xindex>
  // expected-error@+1 {{takes coordinates out of a tensor, which no kernel of lanewise does}}
  %g = tensor.scatter %s into %t[%c] scatter_dims([0, 1]) unique : (tensor<3x1x1xf32>, tensor<4x8xf32>, tensor<3x2xindex>) -> tensor<4x8xf32>
  gpu.return
}
// -----
gpu.func @differs(%x: memref<4xindex>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %t = bufferization.to_tensor %x restrict : memref<4xindex> to tensor<4xindex>
  // expected-error@+1 {{pads with what differs from element to element}}
  %g = tensor.pad %t low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %i : index
  } : tensor<4xindex> to tensor<5xindex>
  gpu.return
}
