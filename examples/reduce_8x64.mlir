// The sum of every row of an 8x64 matrix, one workgroup of 64 threads.
//
// The layout spreads a row over 64 threads. Where a subgroup has 64 lanes, a butterfly of shuffles adds them up; where
// it has 32, the two halves meet in shared memory (the reduction's fourth stage).
// lanewise.args : input = normal(8, 64), output = empty(8) ; grid = (1, 1, 1)
#layout = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [64], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>

func.func @reduce_8x64(%input: memref<8x64xf32>, %output: memref<8xf32>) attributes {
    translation_info = #iree_codegen.translation_info<
      pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  scf.for %row = %c0 to %c8 step %c1 {
    %0 = vector.transfer_read %input[%row, %c0], %zero {in_bounds = [true]} : memref<8x64xf32>, vector<64xf32>
    %1 = iree_vector_ext.to_layout %0 to layout(#layout) : vector<64xf32>
    %2 = vector.multi_reduction <add>, %1, %zero [0] : vector<64xf32> to f32
    %3 = vector.broadcast %2 : f32 to vector<f32>
    %4 = memref.subview %output[%row] [1] [1] : memref<8xf32> to memref<f32, strided<[], offset: ?>>
    vector.transfer_write %3, %4[] : vector<f32>, memref<f32, strided<[], offset: ?>>
  }
  return
}
