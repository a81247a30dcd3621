// Loops carry values in one layout; conversions stand before or behind them.
// test run
// Sums stay in registers: 5 * 512 sectors are read, 512 written; the loop has no conversion, shuffle or barrier.
// expect sm_90: sectors 3072, conversions 0, shuffles 0, barriers 0, loads 8, stores 8
// expect gfx942: sectors 3072, conversions 0, shuffles 0, barriers 0, loads 8, stores 8
// lanewise.args x = integers(-3, 3, 5, 64, 64), y = empty(64, 64), 5; grid = 1
gpu.func @sum(%x: memref<?x64x64xf32>, %y: memref<64x64xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (vector<64x64xf32>) {
    %a = vector.transfer_read %x[%i, %c0, %c0], %p {in_bounds = [true, true]} : memref<?x64x64xf32>, vector<64x64xf32>
    %t = arith.addf %acc, %a : vector<64x64xf32>
    scf.yield %t : vector<64x64xf32>
  }
  vector.transfer_write %s, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// What does not change in the loop is converted before it, once; what the loop reads is natural for the other anchor.
// expect sm_90: conversions 1, loop conversions 0, shared bytes <= 16384
// expect gfx942: conversions 1, loop conversions 0, shared bytes <= 16384
// lanewise.args x = integers(-3, 3, 5, 64, 64), w = integers(-3, 3, 64, 64), y = empty(64, 64), v = empty(64, 64), 5; grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [8, 1], outer_tile = [1, 1], thread_tile = [8, 16], element_tile = [1, 4],
  subgroup_strides = [0, 0], thread_strides = [16, 1]>
#B = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [1, 8], outer_tile = [1, 1], thread_tile = [16, 8], element_tile = [4, 1],
  subgroup_strides = [0, 0], thread_strides = [1, 16]>
gpu.func @invariant(%x: memref<?x64x64xf32>,
    %w: memref<64x64xf32>, %y: memref<64x64xf32>, %v: memref<64x64xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %w0 = vector.transfer_read %w[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %w1 = iree_vector_ext.to_layout %w0 to layout(#A) : vector<64x64xf32>
  vector.transfer_write %w1, %v[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (vector<64x64xf32>) {
    %a = vector.transfer_read %x[%i, %c0, %c0], %p {in_bounds = [true, true], permutation_map = affine_map<(i, r, c) -> (c, r)>}
      : memref<?x64x64xf32>, vector<64x64xf32>
    %b = iree_vector_ext.to_layout %a to layout(#B) : vector<64x64xf32>
    %m = arith.mulf %b, %w1 : vector<64x64xf32>
    %t = arith.addf %acc, %m : vector<64x64xf32>
    scf.yield %t : vector<64x64xf32>
  }
  %e = iree_vector_ext.to_layout %s to layout(#B) : vector<64x64xf32>
  vector.transfer_write %e, %y[%c0, %c0] {in_bounds = [true, true], permutation_map = affine_map<(r, c) -> (c, r)>}
      : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// What the loop sums up is stored in another layout: converted behind the loop, once.
// expect sm_90: conversions 1, loop conversions 0, shared bytes <= 16384
// expect gfx942: conversions 1, loop conversions 0, shared bytes <= 16384
// lanewise.args x = integers(-3, 3, 5, 64, 64), y = empty(64, 64), 5; grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [8, 1], outer_tile = [1, 1], thread_tile = [8, 16], element_tile = [1, 4],
  subgroup_strides = [0, 0], thread_strides = [16, 1]>
#B = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [1, 8], outer_tile = [1, 1], thread_tile = [16, 8], element_tile = [4, 1],
  subgroup_strides = [0, 0], thread_strides = [1, 16]>
gpu.func @after(%x: memref<?x64x64xf32>, %y: memref<64x64xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (vector<64x64xf32>) {
    %a = vector.transfer_read %x[%i, %c0, %c0], %p {in_bounds = [true, true]} : memref<?x64x64xf32>, vector<64x64xf32>
    %b = iree_vector_ext.to_layout %a to layout(#A) : vector<64x64xf32>
    %t = arith.addf %acc, %b : vector<64x64xf32>
    scf.yield %t : vector<64x64xf32>
  }
  %e = iree_vector_ext.to_layout %s to layout(#B) : vector<64x64xf32>
  vector.transfer_write %e, %y[%c0, %c0] {in_bounds = [true, true], permutation_map = affine_map<(r, c) -> (c, r)>}
      : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// Two values that are carried and change places keep one layout: no conversion in the loop.
// expect sm_90: loop conversions 0, conversions 0, barriers 0
// expect gfx942: loop conversions 0, conversions 0, barriers 0
// lanewise.args x = integers(-3, 3, 5, 64, 64), y = empty(64, 64), 5; grid = 1
gpu.func @swap(%x: memref<?x64x64xf32>, %y: memref<64x64xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %s:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %z, %v = %z) -> (vector<64x64xf32>, vector<64x64xf32>) {
    %a = vector.transfer_read %x[%i, %c0, %c0], %p {in_bounds = [true, true]} : memref<?x64x64xf32>, vector<64x64xf32>
    %t = arith.addf %u, %a : vector<64x64xf32>
    scf.yield %v, %t : vector<64x64xf32>, vector<64x64xf32>
  }
  %e = arith.addf %s#0, %s#1 : vector<64x64xf32>
  vector.transfer_write %e, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
