// Tensors at coordinates are read and printed; `refused.mlir` says that no kernel has them.
// test roundtrip
func.func @f(%t: tensor<4x8xf32>, %s: tensor<3x1x1xf32>, %c: tensor<3x2xindex>) -> tensor<4x8xf32> {
  %g = tensor.gather %t[%c] gather_dims([0, 1]) unique : (tensor<4x8xf32>, tensor<3x2xindex>) -> tensor<3x1x1xf32>
  %p = tensor.gather %t[%c] gather_dims([0, 1]) : (tensor<4x8xf32>, tensor<3x2xindex>) -> tensor<3x1x1xf32>
  %r = tensor.scatter %s into %t[%c] scatter_dims([0, 1]) unique : (tensor<3x1x1xf32>, tensor<4x8xf32>, tensor<3x2xindex>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
