// Tensors that threads put together: read, checked and printed; shuffled.mlir runs them.
// test roundtrip
// test verify
func.func @f(%s: tensor<2x4xf32>, %d: tensor<4x128xf32>, %i: index) {
  %0 = iree_gpu.shuffle_tensor %s[%i, 0] [2, 4] [1, 1] to %d {
  ^bb0(%x: tensor<4x128xf32>):
    %y = iree_gpu.value_barrier %x : tensor<4x128xf32>
    iree_gpu.yield %y : tensor<4x128xf32>
  } : tensor<2x4xf32> -> tensor<4x128xf32> -> tensor<4x128xf32>
  return
}
// -----
func.func @f(%s: tensor<2x4xf32>, %d: tensor<4x128xf32>, %i: index) {
  // expected-error@+1 {{has 1 sizes for tensor<4x128xf32>}}
  %0 = iree_gpu.shuffle_tensor %s[%i, 0] [2] [1, 1] to %d {
  ^bb0(%x: tensor<4x128xf32>):
    %y = iree_gpu.value_barrier %x : tensor<4x128xf32>
    iree_gpu.yield %y : tensor<4x128xf32>
  } : tensor<2x4xf32> -> tensor<4x128xf32> -> tensor<4x128xf32>
  return
}
// -----
func.func @f(%s: tensor<2x4xf32>, %d: tensor<4x128xf32>, %i: index) {
  // expected-error@+1 {{puts tensor<2x4xf32> into a slice of sizes [4, 4]}}
  %0 = iree_gpu.shuffle_tensor %s[%i, 0] [4, 4] [1, 1] to %d {
  ^bb0(%x: tensor<4x128xf32>):
    %y = iree_gpu.value_barrier %x : tensor<4x128xf32>
    iree_gpu.yield %y : tensor<4x128xf32>
  } : tensor<2x4xf32> -> tensor<4x128xf32> -> tensor<4x128xf32>
  return
}
// -----
func.func @f(%s: tensor<2x4xf32>, %d: tensor<4x128xf32>, %i: index) {
  // expected-error@+1 {{region yields (tensor<4x128xf32>), the results are (tensor<2x4xf32>)}}
  %0 = iree_gpu.shuffle_tensor %s[%i, 0] [2, 4] [1, 1] to %d {
  ^bb0(%x: tensor<4x128xf32>):
    %y = iree_gpu.value_barrier %x : tensor<4x128xf32>
    iree_gpu.yield %y : tensor<4x128xf32>
  } : tensor<2x4xf32> -> tensor<4x128xf32> -> tensor<2x4xf32>
  return
}
