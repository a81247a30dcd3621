// A tensor that is to have a layout is a vector of that layout; constants of tensors are constants.
// test roundtrip
// test run
// test run target=gfx1100
// prints ( ( 1, 2 ), ( 3, 4 ) )
// lanewise.args x = normal(64), y = empty(64), z = empty(5); grid = 1
// expect sm_90: shared bytes 0, barriers 0
#a = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
func.func @k(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<5xi32>) attributes {
    translation_info = #iree_codegen.translation_info<
      pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i32
  %t = bufferization.to_tensor %x : memref<64xf32> to tensor<64xf32>
  %l = iree_vector_ext.to_layout %t to layout(#a) : tensor<64xf32>
  bufferization.materialize_in_destination %l in writable %y : (tensor<64xf32>, memref<64xf32>) -> ()
  %sevens = arith.constant dense<7> : tensor<5xi32>
  bufferization.materialize_in_destination %sevens in writable %z : (tensor<5xi32>, memref<5xi32>) -> ()
  %c = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %v = vector.transfer_read %c[%c0, %c0], %p {in_bounds = [true, true]} : tensor<2x2xi32>, vector<2x2xi32>
  vector.print %v : vector<2x2xi32>
  return
}
