// Lines along the lanes of a subgroup; a row has 64 elements in 32 lanes.
// test roundtrip
// test run data=written,exact
// test run target=gfx1100
// lanewise.args x = normal(4, 64), i = normal(4), y = empty(4, 64), z = empty(4, 64), w = empty(4); grid = 1
gpu.func @lanes(%x: memref<4x64xf32>, %i: memref<4xf32>, %y: memref<4x64xf32>, %z: memref<4x64xf32>, %w: memref<4xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p : memref<4x64xf32>, vector<4x64xf32>
  %s = vector.transfer_read %i[%c0], %p : memref<4xf32>, vector<4xf32>
  %l = iree_vector_ext.to_layout %a to layout(#iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [2, 1], outer_tile = [1, 2], thread_tile = [1, 16], element_tile = [1, 2], subgroup_strides = [1, 0], thread_strides = [0, 2]>) : vector<4x64xf32>
  %0, %1 = vector.scan <add>, %l, %s {inclusive = true, reduction_dim = 1 : i64} : vector<4x64xf32>, vector<4xf32>
  vector.transfer_write %0, %y[%c0, %c0] : vector<4x64xf32>, memref<4x64xf32>
  %2, %3 = vector.scan <maxnumf>, %l, %s {inclusive = false, reduction_dim = 1 : i64} : vector<4x64xf32>, vector<4xf32>
  vector.transfer_write %2, %z[%c0, %c0] : vector<4x64xf32>, memref<4x64xf32>
  %4 = arith.addf %1, %3 : vector<4xf32>
  vector.transfer_write %4, %w[%c0] : vector<4xf32>, memref<4xf32>
  gpu.return
}

// -----

// A line across four subgroups, three of its digits in each thread; the first dim, integers, a number.
// lanewise.args x = integers(-9, 9, 1536), y = empty(1536), z = empty(1536), w = empty(1); grid = 1
gpu.func @subgroups(%x: memref<1536xi32>, %y: memref<1536xi32>, %z: memref<1536xi32>, %w: memref<1xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.subgroup_size = 32 : i64} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i32
  %i = arith.constant 5 : i32
  %a = vector.transfer_read %x[%c0], %p : memref<1536xi32>, vector<1536xi32>
  %l = iree_vector_ext.to_layout %a to layout(#iree_vector_ext.nested_layout<subgroup_tile = [4], batch_tile = [3], outer_tile = [2], thread_tile = [32], element_tile = [2], subgroup_strides = [1], thread_strides = [1]>) : vector<1536xi32>
  %0, %1 = vector.scan <add>, %l, %i {inclusive = false, reduction_dim = 0 : i64} : vector<1536xi32>, i32
  vector.transfer_write %0, %y[%c0] : vector<1536xi32>, memref<1536xi32>
  %2, %3 = vector.scan <xor>, %l, %i {inclusive = true, reduction_dim = 0 : i64} : vector<1536xi32>, i32
  vector.transfer_write %2, %z[%c0] : vector<1536xi32>, memref<1536xi32>
  %4 = arith.addi %1, %3 : i32
  %5 = vector.broadcast %4 : i32 to vector<1xi32>
  vector.transfer_write %5, %w[%c0] : vector<1xi32>, memref<1xi32>
  gpu.return
}

// -----

// Down columns, which stay in their threads: nothing crosses lanes. Seven rows, f64.
// expect sm_90: shuffles 0, barriers 0
// lanewise.args x = normal(7, 64), i = normal(64), y = empty(7, 64), w = empty(64); grid = 1
gpu.func @columns(%x: memref<7x64xf64>, %i: memref<64xf64>, %y: memref<7x64xf64>, %w: memref<64xf64>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f64
  %a = vector.transfer_read %x[%c0, %c0], %p : memref<7x64xf64>, vector<7x64xf64>
  %s = vector.transfer_read %i[%c0], %p : memref<64xf64>, vector<64xf64>
  %0, %1 = vector.scan <mul>, %a, %s {inclusive = false, reduction_dim = 0 : i64} : vector<7x64xf64>, vector<64xf64>
  vector.transfer_write %0, %y[%c0, %c0] : vector<7x64xf64>, memref<7x64xf64>
  vector.transfer_write %1, %w[%c0] : vector<64xf64>, memref<64xf64>
  gpu.return
}

// -----

// Digits that are no powers of two: 6 x 5 threads of 45, in one subgroup and beyond.
// lanewise.args x = integers(-9, 9, 90), y = empty(90), z = empty(90); grid = 1
gpu.func @odd(%x: memref<90xi32>, %y: memref<90xi32>, %z: memref<90xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 45, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i32
  %a = vector.transfer_read %x[%c0], %p : memref<90xi32>, vector<90xi32>
  %l = iree_vector_ext.to_layout %a to layout(#iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [45], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>) : vector<90xi32>
  %0, %1 = vector.scan <add>, %l, %p {inclusive = true, reduction_dim = 0 : i64} : vector<90xi32>, i32
  vector.transfer_write %0, %y[%c0] : vector<90xi32>, memref<90xi32>
  %m = iree_vector_ext.to_layout %a to layout(#iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [6], outer_tile = [1], thread_tile = [5], element_tile = [3], subgroup_strides = [0], thread_strides = [3]>) : vector<90xi32>
  %2, %3 = vector.scan <minsi>, %m, %p {inclusive = false, reduction_dim = 0 : i64} : vector<90xi32>, i32
  vector.transfer_write %2, %z[%c0] : vector<90xi32>, memref<90xi32>
  gpu.return
}
