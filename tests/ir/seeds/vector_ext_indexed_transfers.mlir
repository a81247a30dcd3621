gpu.module @kernels {
  gpu.func @diagonal(%x: memref<32x32xf32>, %y: memref<32xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %0 = iree_vector_ext.transfer_gather %x[%c0, %c0], %p <indexing_maps = [affine_map<(d0) -> (d0, d0)>]> : memref<32x32xf32>, vector<32xf32>
    vector.transfer_write %0, %y[%c0] : vector<32xf32>, memref<32xf32>
    gpu.return
  }
}
