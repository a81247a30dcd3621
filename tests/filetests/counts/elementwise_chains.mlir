// What stands between two anchors takes their layouts; what has to move is moved once, where it is smallest.
// test run
// A chain between two anchors that agree: nothing moves.
// expect sm_90: conversions 0, shuffles 0, shared bytes 0
// expect gfx942: conversions 0, shuffles 0, shared bytes 0
// lanewise.args x = integers(-3, 3, 64, 64), y = empty(64, 64); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [8, 1], outer_tile = [1, 1], thread_tile = [8, 16], element_tile = [1, 4],
  subgroup_strides = [0, 0], thread_strides = [16, 1]>
gpu.func @chain(%x: memref<64x64xf32>, %y: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %b = iree_vector_ext.to_layout %a to layout(#A) : vector<64x64xf32>
  %c = arith.addf %b, %b : vector<64x64xf32>
  %d = arith.mulf %c, %b : vector<64x64xf32>
  %e = iree_vector_ext.to_layout %d to layout(#A) : vector<64x64xf32>
  vector.transfer_write %e, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// Anchors that do not agree, each natural for its memory (the writing transposes): one conversion of the one value that
// crosses, 64 * 64 * 4 bytes at most in shared memory.
// expect sm_90: conversions 1, loop conversions 0, shared bytes <= 16384
// expect gfx942: conversions 1, loop conversions 0, shared bytes <= 16384
// lanewise.args x = integers(-3, 3, 64, 64), y = empty(64, 64); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [8, 1], outer_tile = [1, 1], thread_tile = [8, 16], element_tile = [1, 4],
  subgroup_strides = [0, 0], thread_strides = [16, 1]>
#B = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [1, 8], outer_tile = [1, 1], thread_tile = [16, 8], element_tile = [4, 1],
  subgroup_strides = [0, 0], thread_strides = [1, 16]>
gpu.func @chain(%x: memref<64x64xf32>, %y: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %b = iree_vector_ext.to_layout %a to layout(#A) : vector<64x64xf32>
  %c = arith.addf %b, %b : vector<64x64xf32>
  %e = iree_vector_ext.to_layout %c to layout(#B) : vector<64x64xf32>
  vector.transfer_write %e, %y[%c0, %c0] {in_bounds = [true, true], permutation_map = affine_map<(r, c) -> (c, r)>}
      : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// Two uses in the other layout share the conversion.
// expect sm_90: conversions 1, shared bytes <= 16384
// expect gfx942: conversions 1, shared bytes <= 16384
// lanewise.args x = integers(-3, 3, 64, 64), y = empty(64, 64); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [8, 1], outer_tile = [1, 1], thread_tile = [8, 16], element_tile = [1, 4],
  subgroup_strides = [0, 0], thread_strides = [16, 1]>
#B = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [1, 8], outer_tile = [1, 1], thread_tile = [16, 8], element_tile = [4, 1],
  subgroup_strides = [0, 0], thread_strides = [1, 16]>
gpu.func @shared_use(%x: memref<64x64xf32>, %y: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %b = iree_vector_ext.to_layout %a to layout(#A) : vector<64x64xf32>
  %c = iree_vector_ext.to_layout %b to layout(#B) : vector<64x64xf32>
  %d = iree_vector_ext.to_layout %b to layout(#B) : vector<64x64xf32>
  %e = arith.mulf %c, %c : vector<64x64xf32>
  %f = arith.addf %e, %d : vector<64x64xf32>
  vector.transfer_write %f, %y[%c0, %c0] {in_bounds = [true, true], permutation_map = affine_map<(r, c) -> (c, r)>}
      : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// The conversion is of the 16 bits before the cast, not of the 32 behind it: 64 * 64 * 2 bytes at most in shared memory.
// expect sm_90: conversions 1, shared bytes <= 8192
// expect gfx942: conversions 1, shared bytes <= 8192
// lanewise.args x = integers(-3, 3, 64, 64), y = empty(64, 64); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [8, 1], outer_tile = [1, 1], thread_tile = [8, 16], element_tile = [1, 4],
  subgroup_strides = [0, 0], thread_strides = [16, 1]>
#B = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [1, 8], outer_tile = [1, 1], thread_tile = [16, 8], element_tile = [4, 1],
  subgroup_strides = [0, 0], thread_strides = [1, 16]>
gpu.func @widening(%x: memref<64x64xf16>, %y: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf16>, vector<64x64xf16>
  %b = iree_vector_ext.to_layout %a to layout(#A) : vector<64x64xf16>
  %c = arith.extf %b : vector<64x64xf16> to vector<64x64xf32>
  %d = iree_vector_ext.to_layout %c to layout(#B) : vector<64x64xf32>
  vector.transfer_write %d, %y[%c0, %c0] {in_bounds = [true, true], permutation_map = affine_map<(r, c) -> (c, r)>}
      : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// And of the 16 bits behind the cast where that makes them fewer.
// expect sm_90: conversions 1, shared bytes <= 8192
// expect gfx942: conversions 1, shared bytes <= 8192
// lanewise.args x = integers(-3, 3, 64, 64), y = empty(64, 64); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [8, 1], outer_tile = [1, 1], thread_tile = [8, 16], element_tile = [1, 4],
  subgroup_strides = [0, 0], thread_strides = [16, 1]>
#B = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [1, 8], outer_tile = [1, 1], thread_tile = [16, 8], element_tile = [4, 1],
  subgroup_strides = [0, 0], thread_strides = [1, 16]>
gpu.func @narrowing(%x: memref<64x64xf32>, %y: memref<64x64xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %b = iree_vector_ext.to_layout %a to layout(#A) : vector<64x64xf32>
  %c = arith.truncf %b : vector<64x64xf32> to vector<64x64xf16>
  %d = iree_vector_ext.to_layout %c to layout(#B) : vector<64x64xf16>
  vector.transfer_write %d, %y[%c0, %c0] {in_bounds = [true, true], permutation_map = affine_map<(r, c) -> (c, r)>}
      : vector<64x64xf16>, memref<64x64xf16>
  gpu.return
}
// -----
// One operand in each layout: one of them moves.
// expect sm_90: conversions 1, shared bytes <= 16384
// expect gfx942: conversions 1, shared bytes <= 16384
// lanewise.args x = integers(-3, 3, 64, 64), z = integers(-3, 3, 64, 64), y = empty(64, 64); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [8, 1], outer_tile = [1, 1], thread_tile = [8, 16], element_tile = [1, 4],
  subgroup_strides = [0, 0], thread_strides = [16, 1]>
#B = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [1, 8], outer_tile = [1, 1], thread_tile = [16, 8], element_tile = [4, 1],
  subgroup_strides = [0, 0], thread_strides = [1, 16]>
gpu.func @two_operands(%x: memref<64x64xf32>, %z: memref<64x64xf32>, %y: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %b = vector.transfer_read %z[%c0, %c0], %p {in_bounds = [true, true], permutation_map = affine_map<(r, c) -> (c, r)>}
      : memref<64x64xf32>, vector<64x64xf32>
  %c = iree_vector_ext.to_layout %a to layout(#A) : vector<64x64xf32>
  %d = iree_vector_ext.to_layout %b to layout(#B) : vector<64x64xf32>
  %e = arith.addf %c, %d : vector<64x64xf32>
  vector.transfer_write %e, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// Constants are made where they are needed, in whatever layout: nothing moves, nothing more is read than 512 sectors.
// expect sm_90: conversions 0, shared bytes 0, shuffles 0, sectors 1024, loads 8
// expect gfx942: conversions 0, shared bytes 0, shuffles 0, sectors 1024, loads 8
// lanewise.args x = integers(-3, 3, 64, 64), y = empty(64, 64); grid = 1
gpu.func @constants(%x: memref<64x64xf32>, %y: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %k = arith.constant dense<2.0> : vector<64x64xf32>
  %b = arith.mulf %a, %k : vector<64x64xf32>
  vector.transfer_write %b, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// A step is computed from the thread's number; nothing is read for it. 1024 * 4 / 32 = 128 sectors are written.
// expect sm_90: sectors 128, read bytes 0, conversions 0, shuffles 0, shared bytes 0, stores <= 2
// expect gfx942: sectors 128, read bytes 0, conversions 0, shuffles 0, shared bytes 0, stores <= 2
// lanewise.args y = empty(1024); grid = 1
gpu.func @steps(%y: memref<1024xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %s = vector.step : vector<1024xindex>
  %i = arith.index_cast %s : vector<1024xindex> to vector<1024xi32>
  vector.transfer_write %i, %y[%c0] {in_bounds = [true]} : vector<1024xi32>, memref<1024xi32>
  gpu.return
}
// -----
// In place: each thread writes what it has read, no thread waits for another.
// expect sm_90: barriers 0, conversions 0, sectors 1024, loads 8, stores 8
// expect gfx942: barriers 0, conversions 0, sectors 1024, loads 8, stores 8
// lanewise.args x = integers(-3, 3, 64, 64); grid = 1
gpu.func @in_place(%x: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %b = arith.addf %a, %a : vector<64x64xf32>
  vector.transfer_write %b, %x[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
