// Other shapes of tensors are of the same elements.
// test verify
func.func @f(%t: tensor<4x8xf32>, %u: tensor<?x8xf32>, %i: tensor<2xindex>, %n: index, %z: f32, %c: tensor<3x2xindex>) {
  // expected-error@+1 {{tensor<4x8xf32> and tensor<5x8xf32> differ in more than what is known of their extents}}
  %0 = tensor.cast %t : tensor<4x8xf32> to tensor<5x8xf32>
  // expected-error@+1 {{elements must have one bit width, found f32 and i16}}
  %1 = tensor.bitcast %t : tensor<4x8xf32> to tensor<4x8xi16>
  // expected-error@+1 {{collapsed dim size (31) must equal reassociation group size (32)}}
  %2 = tensor.collapse_shape %t [[0, 1]] : tensor<4x8xf32> into tensor<31xf32>
  // expected-error@+1 {{output_shape [4, 2, 5] with 0 values is not that of tensor<4x2x4xf32>}}
  %3 = tensor.expand_shape %t [[0], [1, 2]] output_shape [4, 2, 5] : tensor<4x8xf32> into tensor<4x2x4xf32>
  // expected-error@+1 {{source has 32 elements, the result 30}}
  %4 = tensor.reshape %t(%i) : (tensor<4x8xf32>, tensor<2xindex>) -> tensor<5x6xf32>
  // expected-error@+1 {{takes 3 extents for tensor<2x2x8xf32>, found tensor<2xindex>}}
  %5 = tensor.reshape %t(%i) : (tensor<4x8xf32>, tensor<2xindex>) -> tensor<2x2x8xf32>
  // expected-error@+1 {{joins extents [8, 8] along dimension 1, tensor<4x9xf32> has 9}}
  %6 = tensor.concat dim(1) %t, %t : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x9xf32>
  // expected-error@+1 {{joins tensor<?x8xf32> along dimension 1 into tensor<4x16xf32>}}
  %7 = tensor.concat dim(1) %t, %u : (tensor<4x8xf32>, tensor<?x8xf32>) -> tensor<4x16xf32>
  // expected-error@+1 {{pads tensor<4x8xf32> to extents [5, 10], found tensor<5x9xf32>}}
  %8 = tensor.pad %t low[1, 0] high[0, 2] {
  ^bb0(%a: index, %b: index):
    tensor.yield %z : f32
  } : tensor<4x8xf32> to tensor<5x9xf32>
  // expected-error@+1 {{has 0 extents for tensor<?xf32>}}
  %9 = tensor.generate {
  ^bb0(%a: index):
    tensor.yield %z : f32
  } : tensor<?xf32>
  // expected-error@+1 {{the region yields f32 for tensor<2xi32>}}
  %10 = tensor.generate {
  ^bb0(%a: index):
    tensor.yield %z : f32
  } : tensor<2xi32>
  // expected-error@+1 {{operand 'tensor' must be a tensor, found index}}
  %11 = tensor.rank %n : index
  // expected-error@+1 {{gather_dims must be dimensions of tensor<4x8xf32> in order, found [1, 0]}}
  %12 = tensor.gather %t[%c] gather_dims([1, 0]) : (tensor<4x8xf32>, tensor<3x2xindex>) -> tensor<3x1x1xf32>
  // expected-error@+1 {{must be 'unique': no order is said for slices at one place}}
  %13 = tensor.scatter %t into %t[%c] scatter_dims([0, 1]) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<3x2xindex>) -> tensor<4x8xf32>
  return
}
// -----
func.func @f(%z: f32) {
  // expected-error@+1 {{must end a region of tensor.generate or tensor.pad}}
  tensor.yield %z : f32
}
