// The initial value is anchored A, what is added and what is stored are anchored B: the conversion stands before the loop.
// test roundtrip
// test run
// test run target=gfx942
// One value has to change its layout once.
// expect sm_90: conversions 1, loop conversions 0
// expect gfx942: conversions 1, loop conversions 0
// lanewise.args x = integers(-3, 3, 32, 32), y = integers(-3, 3, 5, 32, 32), o = empty(32, 32), 5; grid = 1
#A = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 8], element_tile = [4, 4], subgroup_strides = [0, 0], thread_strides = [8, 1]>
#B = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 8], element_tile = [4, 4], subgroup_strides = [0, 0], thread_strides = [1, 8]>
gpu.func @f(%X: memref<32x32xf32>, %Y: memref<?x32x32xf32>, %O: memref<32x32xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 0.0 : f32
  %x = vector.transfer_read %X[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf32>, vector<32x32xf32>
  %xa = iree_vector_ext.to_layout %x to layout(#A) : vector<32x32xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %xa) -> (vector<32x32xf32>) {
    %y = vector.transfer_read %Y[%i, %c0, %c0], %p {in_bounds = [true, true]} : memref<?x32x32xf32>, vector<32x32xf32>
    %yb = iree_vector_ext.to_layout %y to layout(#B) : vector<32x32xf32>
    %s = arith.addf %acc, %yb : vector<32x32xf32>
    scf.yield %s : vector<32x32xf32>
  }
  %ob = iree_vector_ext.to_layout %r to layout(#B) : vector<32x32xf32>
  vector.transfer_write %ob, %O[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
