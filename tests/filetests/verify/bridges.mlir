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
