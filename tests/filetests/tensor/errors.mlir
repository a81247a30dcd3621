// What tensors cannot be is said where it stands.
// test verify
func.func @f(%t: tensor<4x8xf32>, %i: index) {
  // expected-error@+1 {{has sizes [4, 4] for tensor<4x8xf32>}}
  %0 = tensor.extract_slice %t[0, %i] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x8xf32>
  return
}
// -----
func.func @f(%t: tensor<4x8xf32>, %i: index) {
  // expected-error@+1 {{reaches index 8 of dimension 1, whose extent is 8}}
  %0 = tensor.extract_slice %t[0, 5] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
  return
}
// -----
func.func @f(%t: tensor<4x8xf32>, %s: tensor<8xi32>) {
  // expected-error@+1 {{element types differ: tensor<4x8xf32> and tensor<8xi32>}}
  %0 = tensor.insert_slice %s into %t[0, 0] [1, 8] [1, 1] : tensor<8xi32> into tensor<4x8xf32>
  return
}
// -----
func.func @f(%t: tensor<4x8xf32>, %s: tensor<8xf32>) {
  // expected-error@+1 {{has 1 offsets for tensor<4x8xf32>}}
  %0 = tensor.insert_slice %s into %t[0] [1, 8] [1, 1] : tensor<8xf32> into tensor<4x8xf32>
  return
}
// -----
func.func @f(%t: tensor<4x8xf32>, %s: tensor<8xf32>) {
  // expected-error@+1 {{must put something into a tensor of scf.forall, in its scf.forall.in_parallel}}
  tensor.parallel_insert_slice %s into %t[0, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<4x8xf32>
  return
}
// -----
func.func @f(%t: tensor<4x8xf32>, %i: index) {
  // expected-error@+1 {{needs 2 indices for tensor<4x8xf32>, found 1}}
  %0 = tensor.extract %t[%i] : tensor<4x8xf32>
  return
}
// -----
func.func @f(%t: tensor<4xf32>, %i: index, %x: i32) {
  // expected-error@+1 {{puts i32 into tensor<4xf32>}}
  %0 = tensor.insert %x into %t[%i] : tensor<4xf32>
  return
}
// -----
func.func @f(%x: i32) {
  // expected-error@+1 {{fills tensor<4xf32> with i32}}
  %0 = tensor.splat %x : tensor<4xf32>
  return
}
// -----
func.func @f(%x: f32) {
  // expected-error@+1 {{has 1 elements for tensor<4xf32>}}
  %0 = tensor.from_elements %x : tensor<4xf32>
  return
}
// -----
func.func @f(%x: i32) {
  // expected-error@+1 {{has elements of i32 for tensor<1xf32>}}
  %0 = tensor.from_elements %x : tensor<1xf32>
  return
}
// -----
func.func @f(%n: index) {
  // expected-error@+1 {{has 1 sizes for tensor<4xf32>, which needs 0}}
  %0 = tensor.empty(%n) : tensor<4xf32>
  return
}
// -----
func.func @f(%m: memref<4xf32>) {
  // expected-error@+1 {{memref<4xf32> does not hold a tensor<5xf32>}}
  %0 = bufferization.to_tensor %m : memref<4xf32> to tensor<5xf32>
  return
}
// -----
func.func @f(%t: tensor<4xf32>, %m: memref<4xf32>) {
  // expected-error@+1 {{writes a buffer, so it has to say 'writable'}}
  bufferization.materialize_in_destination %t in %m : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}
// -----
func.func @f(%t: tensor<4xf32>, %c: index, %p: f32) {
  // expected-error@+1 {{needs 1 indices for memref<4xf32>, found 2}}
  %v = vector.transfer_read %t[%c, %c], %p : tensor<4xf32>, vector<4xf32>
  return
}
// -----
func.func @no_dims(%n: index) {
  %e = tensor.empty() : tensor<f32>
  // expected-error@+1 {{asks for an extent of tensor<f32>, which has no dimension}}
  %d = tensor.dim %e, %n : tensor<f32>
  return
}
// -----
#a = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
func.func @f(%t: tensor<32xf32>) {
  // expected-error@+1 {{layout covers 1 * 1 * 1 * 32 * 2 = 64 of dimension 0, tensor<32xf32> has 32}}
  %0 = iree_vector_ext.to_layout %t to layout(#a) : tensor<32xf32>
  return
}
// -----
#a = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
func.func @f(%t: tensor<2x32xf32>) {
  // expected-error@+1 {{layout has rank 1, tensor<2x32xf32> has rank 2}}
  %0 = iree_vector_ext.to_layout %t to layout(#a) : tensor<2x32xf32>
  return
}
// -----
func.func @f() {
  // expected-error@+1 {{value is tensor<4xf32>, result tensor<5xf32>}}
  %0 = "arith.constant"() <{value = dense<1.0> : tensor<4xf32>}> : () -> tensor<5xf32>
  return
}
// -----
func.func @f() {
  // expected-error@+1 {{attribute 'value' must be dense<...> of a tensor, found 1 : i32}}
  %0 = "arith.constant"() <{value = 1 : i32}> : () -> tensor<5xi32>
  return
}
