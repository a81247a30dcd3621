// test compile target=sm_90
gpu.module @kernels {
  gpu.func @not_elementwise(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %0 = vector.transfer_read %x[%c0], %p : memref<64xf32>, vector<64xf32>
    %1 = iree_vector_ext.to_simt %0 : vector<64xf32> -> vector<2xf32>
    // expected-error@+1 {{takes what each thread holds, and is not computed back to a vector by to_simd}}
    %2 = vector.reduction <add>, %1 : vector<2xf32> into f32
    memref.store %2, %x[%c0] : memref<64xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @from_nowhere(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %a = arith.constant dense<[1.0, 2.0]> : vector<2xf32>
    // expected-error@+1 {{takes what no to_simt of vector<64xf32> gave: it is made by 'arith.constant'}}
    %0 = iree_vector_ext.to_simd %a : vector<2xf32> -> vector<64xf32>
    vector.transfer_write %0, %x[%c0] : vector<64xf32>, memref<64xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @carried(%x: memref<64xf32>, %n: index) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = arith.constant dense<1.0> : vector<2xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %a) -> (vector<2xf32>) {
      // expected-error@+1 {{takes what no to_simt of vector<64xf32> gave: it comes from outside of the block}}
      %0 = iree_vector_ext.to_simd %t : vector<2xf32> -> vector<64xf32>
      vector.transfer_write %0, %x[%c0] : vector<64xf32>, memref<64xf32>
      scf.yield %t : vector<2xf32>
    }
    gpu.return
  }
}

// -----

// What a layout gives a thread is batch x outer x element: here 1x1x2 of 64 elements for each of 32 threads.
#a = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
gpu.module @kernels {
  gpu.func @more_than_the_layout_gives(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%c0], %p : memref<64xf32>, vector<64xf32>
    %l = iree_vector_ext.to_layout %v to layout(#a) : vector<64xf32>
    %m = arith.negf %l : vector<64xf32>
    // expected-error@+1 {{has vector<1x1x4xf32> of a thread, the layout that to_layout states gives it vector<1x1x2xf32>}}
    %s = iree_vector_ext.to_simt %m : vector<64xf32> -> vector<1x1x4xf32>
    %q = arith.mulf %s, %s : vector<1x1x4xf32>
    %r = iree_vector_ext.to_simd %q : vector<1x1x4xf32> -> vector<64xf32>
    vector.transfer_write %r, %x[%c0] : vector<64xf32>, memref<64xf32>
    gpu.return
  }
}

// -----

#a = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [8], element_tile = [4], subgroup_strides = [0], thread_strides = [1]>
gpu.module @kernels {
  gpu.func @another_order_than_the_layout_s(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%c0], %p : memref<64xf32>, vector<64xf32>
    %s = iree_vector_ext.to_simt %v : vector<64xf32> -> vector<4x2xf32>
    %q = arith.mulf %s, %s : vector<4x2xf32>
    // expected-error@+1 {{has vector<4x2xf32> of a thread, the layout that to_layout states gives it vector<2x1x4xf32>}}
    %r = iree_vector_ext.to_simd %q : vector<4x2xf32> -> vector<64xf32>
    %m = arith.negf %r : vector<64xf32>
    %l = iree_vector_ext.to_layout %m to layout(#a) : vector<64xf32>
    vector.transfer_write %l, %x[%c0] : vector<64xf32>, memref<64xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @no_share_of_a_thread(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%c0], %p : memref<64xf32>, vector<64xf32>
    %s = iree_vector_ext.to_simt %v : vector<64xf32> -> vector<3xf32>
    %q = arith.mulf %s, %s : vector<3xf32>
    // expected-error@+1 {{has 3 of 64 elements of a thread, 32 threads cannot hold equal shares of so many}}
    %r = iree_vector_ext.to_simd %q : vector<3xf32> -> vector<64xf32>
    vector.transfer_write %r, %x[%c0] : vector<64xf32>, memref<64xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @more_threads_than_there_are(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%c0], %p : memref<64xf32>, vector<64xf32>
    %s = iree_vector_ext.to_simt %v : vector<64xf32> -> vector<1xf32>
    %q = arith.mulf %s, %s : vector<1xf32>
    // expected-error@+1 {{has 1 of 64 elements of a thread, 32 threads cannot hold equal shares of so many}}
    %r = iree_vector_ext.to_simd %q : vector<1xf32> -> vector<64xf32>
    vector.transfer_write %r, %x[%c0] : vector<64xf32>, memref<64xf32>
    gpu.return
  }
}
