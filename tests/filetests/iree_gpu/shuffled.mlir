// Two loops over the same threads with a tensor between them, and the same in one loop with iree_gpu.shuffle_tensor, as
// the iree_gpu document has them: each thread puts 2 x 4 elements down and takes 4 x 16 of what all did.
// test roundtrip
// test run
// test run target=gfx942
// lanewise.args x = normal(4, 128), y = empty(64, 4, 16); grid = 1
// expect sm_90: barriers 1, shared bytes 2048
gpu.func @two_loops(%x: memref<4x128xf32>, %y: memref<64x4x16xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 8, 8, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x128xf32>
  %0 = scf.forall (%idy, %idx) in (2, 32) shared_outs(%init = %empty) -> (tensor<4x128xf32>) {
    %2 = affine.apply affine_map<(d0) -> (d0 * 2)> (%idy)
    %3 = affine.apply affine_map<(d0) -> (d0 * 4)> (%idx)
    %v = vector.transfer_read %x[%2, %3], %p {in_bounds = [true, true]} : memref<4x128xf32>, vector<2x4xf32>
    %none = tensor.empty() : tensor<2x4xf32>
    %in = vector.transfer_write %v, %none[%c0, %c0] {in_bounds = [true, true]} : vector<2x4xf32>, tensor<2x4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %in into %init[%2, %3] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<4x128xf32>
    }
  } {mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]}
  scf.forall (%idy, %idx) in (8, 8) {
    %4 = affine.apply affine_map<(d0) -> (d0 * 16)> (%idx)
    %n = affine.linearize_index [%idy, %idx] by (8, 8) : index
    %slice = tensor.extract_slice %0[0, %4] [4, 16] [1, 1] : tensor<4x128xf32> to tensor<4x16xf32>
    %w = vector.transfer_read %slice[%c0, %c0], %p {in_bounds = [true, true]} : tensor<4x16xf32>, vector<4x16xf32>
    vector.transfer_write %w, %y[%n, %c0, %c0] {in_bounds = [true, true]} : vector<4x16xf32>, memref<64x4x16xf32>
  } {mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]}
  gpu.return
}
// -----
// lanewise.args x = normal(4, 128), y = empty(64, 4, 16); grid = 1
// expect sm_90: barriers 2, shared bytes 2048
gpu.func @one_loop(%x: memref<4x128xf32>, %y: memref<64x4x16xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 8, 8, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x128xf32>
  scf.forall (%idy, %idx) in (8, 8) {
    %n = affine.linearize_index [%idy, %idx] by (8, 8) : index
    %ids:2 = affine.delinearize_index %n into (2, 32) : index, index
    %2 = affine.apply affine_map<(d0) -> (d0 * 2)> (%ids#0)
    %3 = affine.apply affine_map<(d0) -> (d0 * 4)> (%ids#1)
    %4 = affine.apply affine_map<(d0) -> (d0 * 16)> (%idx)
    %whole = bufferization.to_tensor %x : memref<4x128xf32> to tensor<4x128xf32>
    %in = tensor.extract_slice %whole[%2, %3] [2, 4] [1, 1] : tensor<4x128xf32> to tensor<2x4xf32>
    %slice = iree_gpu.shuffle_tensor %in[%2, %3] [2, 4] [1, 1] to %empty {
    ^bb0(%intermediate: tensor<4x128xf32>):
      %slice = tensor.extract_slice %intermediate[0, %4] [4, 16] [1, 1] : tensor<4x128xf32> to tensor<4x16xf32>
      iree_gpu.yield %slice : tensor<4x16xf32>
    } : tensor<2x4xf32> -> tensor<4x128xf32> -> tensor<4x16xf32>
    %w = vector.transfer_read %slice[%c0, %c0], %p {in_bounds = [true, true]} : tensor<4x16xf32>, vector<4x16xf32>
    vector.transfer_write %w, %y[%n, %c0, %c0] {in_bounds = [true, true]} : vector<4x16xf32>, memref<64x4x16xf32>
  } {mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]}
  gpu.return
}
