// Barriers stand where one thread may see what another has written, and nowhere else.
// test run
// Each thread reads from shared memory what it has written itself: no barrier. 16384 bytes pass 128 at a time: 128 wavefronts
// each way.
// expect sm_90: barriers 0, conversions 0, shared bytes 16384, wavefronts 256, bank conflicts 0
// expect gfx942: barriers 0, conversions 0, shared bytes 16384
// lanewise.args x = integers(-3, 3, 64, 64), y = empty(64, 64); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [8, 1], outer_tile = [1, 1], thread_tile = [8, 16], element_tile = [1, 4],
  subgroup_strides = [0, 0], thread_strides = [16, 1]>
gpu.func @own(%x: memref<64x64xf32>, %y: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<64x64xf32, #gpu.address_space<workgroup>>
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %b = iree_vector_ext.to_layout %a to layout(#A) : vector<64x64xf32>
  vector.transfer_write %b, %t[%c0, %c0] {in_bounds = [true, true]}
      : vector<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
  %c = vector.transfer_read %t[%c0, %c0], %p {in_bounds = [true, true]}
      : memref<64x64xf32, #gpu.address_space<workgroup>>, vector<64x64xf32>
  %d = iree_vector_ext.to_layout %c to layout(#A) : vector<64x64xf32>
  vector.transfer_write %d, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// Written by 16 threads a row, read by 8: one barrier between, and no conversion beside the program's own.
// expect sm_90: barriers 1, conversions 0, shared bytes 16384
// expect gfx942: barriers 1, conversions 0, shared bytes 16384
// lanewise.args x = integers(-3, 3, 64, 64), y = empty(64, 64); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [8, 1], outer_tile = [1, 1], thread_tile = [8, 16], element_tile = [1, 4],
  subgroup_strides = [0, 0], thread_strides = [16, 1]>
#C = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [4, 2], outer_tile = [1, 1], thread_tile = [16, 8], element_tile = [1, 4],
  subgroup_strides = [0, 0], thread_strides = [8, 1]>
gpu.func @others(%x: memref<64x64xf32>, %y: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<64x64xf32, #gpu.address_space<workgroup>>
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %b = iree_vector_ext.to_layout %a to layout(#A) : vector<64x64xf32>
  vector.transfer_write %b, %t[%c0, %c0] {in_bounds = [true, true]}
      : vector<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
  %c = vector.transfer_read %t[%c0, %c0], %p {in_bounds = [true, true]}
      : memref<64x64xf32, #gpu.address_space<workgroup>>, vector<64x64xf32>
  %d = iree_vector_ext.to_layout %c to layout(#C) : vector<64x64xf32>
  vector.transfer_write %d, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// A tile that every iteration fills and empties: a barrier when it is full, one when it is empty; both stand in the loop.
// expect sm_90: barriers 2, loop conversions 0
// expect gfx942: barriers 2, loop conversions 0
// lanewise.args x = integers(-3, 3, 5, 64, 64), y = empty(64, 64), 5; grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [8, 1], outer_tile = [1, 1], thread_tile = [8, 16], element_tile = [1, 4],
  subgroup_strides = [0, 0], thread_strides = [16, 1]>
#C = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [4, 2], outer_tile = [1, 1], thread_tile = [16, 8], element_tile = [1, 4],
  subgroup_strides = [0, 0], thread_strides = [8, 1]>
gpu.func @tile(%x: memref<?x64x64xf32>, %y: memref<64x64xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<64x64xf32, #gpu.address_space<workgroup>>
  %c1 = arith.constant 1 : index
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (vector<64x64xf32>) {
    %a = vector.transfer_read %x[%i, %c0, %c0], %p {in_bounds = [true, true]} : memref<?x64x64xf32>, vector<64x64xf32>
    %b = iree_vector_ext.to_layout %a to layout(#A) : vector<64x64xf32>
    vector.transfer_write %b, %t[%c0, %c0] {in_bounds = [true, true]}
        : vector<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
    %c = vector.transfer_read %t[%c0, %c0], %p {in_bounds = [true, true]}
        : memref<64x64xf32, #gpu.address_space<workgroup>>, vector<64x64xf32>
    %d = iree_vector_ext.to_layout %c to layout(#C) : vector<64x64xf32>
    %e = arith.addf %acc, %d : vector<64x64xf32>
    scf.yield %e : vector<64x64xf32>
  }
  %f = iree_vector_ext.to_layout %s to layout(#C) : vector<64x64xf32>
  vector.transfer_write %f, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// A sum over 4 (2) subgroups: partial sums are written, a barrier, then read.
// expect sm_90: barriers 1
// expect gfx942: barriers 1
// lanewise.args x = integers(-3, 3, 64, 64), y = empty(1); grid = 1
gpu.func @sum(%x: memref<64x64xf32>, %y: memref<1xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %r = vector.multi_reduction <add>, %a, %p [0, 1] : vector<64x64xf32> to f32
  memref.store %r, %y[%c0] : memref<1xf32>
  gpu.return
}
// -----
// Two sums, the second of what the first made: an exchange each; where both use one buffer, a barrier more lets the first be read.
// expect sm_90: barriers >= 2, barriers <= 3
// expect gfx942: barriers >= 2, barriers <= 3
// lanewise.args x = integers(-3, 3, 64, 64), y = empty(1); grid = 1
gpu.func @twice(%x: memref<64x64xf32>, %y: memref<1xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %r = vector.multi_reduction <add>, %a, %p [0, 1] : vector<64x64xf32> to f32
  %w = vector.broadcast %r : f32 to vector<64x64xf32>
  %d = arith.subf %a, %w : vector<64x64xf32>
  %s = vector.multi_reduction <add>, %d, %p [0, 1] : vector<64x64xf32> to f32
  memref.store %s, %y[%c0] : memref<1xf32>
  gpu.return
}
// -----
// What is written to global memory and read again by the same thread needs no barrier.
// expect sm_90: barriers 0, conversions 0
// expect gfx942: barriers 0, conversions 0
// lanewise.args x = integers(-3, 3, 64, 64), y = empty(64, 64); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [8, 1], outer_tile = [1, 1], thread_tile = [8, 16], element_tile = [1, 4],
  subgroup_strides = [0, 0], thread_strides = [16, 1]>
gpu.func @again(%x: memref<64x64xf32>, %y: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %b = iree_vector_ext.to_layout %a to layout(#A) : vector<64x64xf32>
  vector.transfer_write %b, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  %c = vector.transfer_read %y[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %d = iree_vector_ext.to_layout %c to layout(#A) : vector<64x64xf32>
  %e = arith.addf %d, %d : vector<64x64xf32>
  vector.transfer_write %e, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// A barrier that the program has stays, and stays the only one.
// expect sm_90: barriers 1, conversions 0
// expect gfx942: barriers 1, conversions 0
// lanewise.args x = integers(-3, 3, 64, 64), y = empty(64, 64); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [8, 1], outer_tile = [1, 1], thread_tile = [8, 16], element_tile = [1, 4],
  subgroup_strides = [0, 0], thread_strides = [16, 1]>
#C = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [4, 2], outer_tile = [1, 1], thread_tile = [16, 8], element_tile = [1, 4],
  subgroup_strides = [0, 0], thread_strides = [8, 1]>
gpu.func @written(%x: memref<64x64xf32>, %y: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<64x64xf32, #gpu.address_space<workgroup>>
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %b = iree_vector_ext.to_layout %a to layout(#A) : vector<64x64xf32>
  vector.transfer_write %b, %t[%c0, %c0] {in_bounds = [true, true]}
      : vector<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
  gpu.barrier
  %c = vector.transfer_read %t[%c0, %c0], %p {in_bounds = [true, true]}
      : memref<64x64xf32, #gpu.address_space<workgroup>>, vector<64x64xf32>
  %d = iree_vector_ext.to_layout %c to layout(#C) : vector<64x64xf32>
  vector.transfer_write %d, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// A conversion through shared memory: written, a barrier, read.
// expect sm_90: barriers 1, conversions 1, shared bytes <= 16384
// expect gfx942: barriers 1, conversions 1, shared bytes <= 16384
// lanewise.args x = integers(-3, 3, 64, 64), y = empty(64, 64); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [8, 1], outer_tile = [1, 1], thread_tile = [8, 16], element_tile = [1, 4],
  subgroup_strides = [0, 0], thread_strides = [16, 1]>
#B = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [1, 8], outer_tile = [1, 1], thread_tile = [16, 8], element_tile = [4, 1],
  subgroup_strides = [0, 0], thread_strides = [1, 16]>
gpu.func @converted(%x: memref<64x64xf32>, %y: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %b = iree_vector_ext.to_layout %a to layout(#A) : vector<64x64xf32>
  %d = iree_vector_ext.to_layout %b to layout(#B) : vector<64x64xf32>
  vector.transfer_write %d, %y[%c0, %c0] {in_bounds = [true, true], permutation_map = affine_map<(r, c) -> (c, r)>}
      : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
