gpu.module @m {
  gpu.func @transposed(%x: memref<4x32xf32>, %y: memref<32x4xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<4x32xf32>, vector<4x32xf32>
    iree_linalg_ext.map_store %v into %y {
    ^bb0(%i: index, %j: index):
      %mask = arith.constant true
      iree_linalg_ext.yield %j, %i, %mask : index, index, i1
    } : vector<4x32xf32> into memref<32x4xf32>
    gpu.return
  }
}
