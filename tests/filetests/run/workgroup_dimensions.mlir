// Workgroups with threads along y and z: layouts decode one number, x fastest, in which y counts as often as there are
// threads along x, and z as often as there are along x times y.
// test run
// test run target=gfx942
// test run target=gfx1030
// test run target=gfx1100
// test run target=gfx1201
// lanewise.args x = index(512), y = empty(512), s = empty(1); grid = 1
#layout = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [128], element_tile = [2],
  subgroup_strides = [0], thread_strides = [1]>

gpu.func @whole(%x: memref<512xf32>, %y: memref<512xf32>, %s: memref<1xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 2, 8, 8>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0], %pad : memref<512xf32>, vector<512xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#layout) : vector<512xf32>
  %2 = arith.addf %1, %1 : vector<512xf32>
  vector.transfer_write %2, %y[%c0] : vector<512xf32>, memref<512xf32>
  %sum = vector.multi_reduction <add>, %1, %pad [0] : vector<512xf32> to f32
  memref.store %sum, %s[%c0] : memref<1xf32>
  gpu.return
}
// -----
// An extent along every axis that is no power of two, and an exchange between threads.
// lanewise.args x = index(15, 8), y = empty(8, 15); grid = 1
#rows = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [15, 4], element_tile = [1, 2],
  subgroup_strides = [0, 0], thread_strides = [4, 1]>
#columns = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [1, 2], outer_tile = [1, 1], thread_tile = [15, 4], element_tile = [1, 1],
  subgroup_strides = [0, 0], thread_strides = [1, 15]>

gpu.func @odd(%x: memref<15x8xf32>, %y: memref<8x15xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 5, 3, 4>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0, %c0], %pad : memref<15x8xf32>, vector<15x8xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#rows) : vector<15x8xf32>
  %2 = iree_vector_ext.to_layout %1 to layout(#columns) {shared_memory_conversion} : vector<15x8xf32>
  %3 = vector.transpose %2, [1, 0] : vector<15x8xf32> to vector<8x15xf32>
  vector.transfer_write %3, %y[%c0, %c0] : vector<8x15xf32>, memref<8x15xf32>
  gpu.return
}
// -----
// A program of single threads: every thread's own ids, its lane and its subgroup. Extents whose sums are no products.
// lanewise.args x = empty(4, 3, 5), y = empty(4, 3, 5), z = empty(4, 3, 5), l = empty(4, 3, 5), d = empty(3); grid = 1
gpu.func @ids(%x: memref<4x3x5xindex>, %y: memref<4x3x5xindex>, %z: memref<4x3x5xindex>, %l: memref<4x3x5xindex>,
              %d: memref<3xindex>) kernel
    attributes {gpu.known_block_size = array<i32: 5, 3, 4>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %tx = gpu.thread_id x
  %ty = gpu.thread_id y
  %tz = gpu.thread_id z
  memref.store %tx, %x[%tz, %ty, %tx] : memref<4x3x5xindex>
  memref.store %ty, %y[%tz, %ty, %tx] : memref<4x3x5xindex>
  memref.store %tz, %z[%tz, %ty, %tx] : memref<4x3x5xindex>
  %lane = gpu.lane_id
  %subgroup = gpu.subgroup_id : index
  %size = gpu.subgroup_size : index
  %first = arith.muli %subgroup, %size : index
  %linear = arith.addi %first, %lane : index
  memref.store %linear, %l[%tz, %ty, %tx] : memref<4x3x5xindex>
  %bx = gpu.block_dim x
  %by = gpu.block_dim y
  %bz = gpu.block_dim z
  memref.store %bx, %d[%c0] : memref<3xindex>
  memref.store %by, %d[%c1] : memref<3xindex>
  memref.store %bz, %d[%c2] : memref<3xindex>
  gpu.return
}
// -----
// The last thread along each axis and the last workgroup along each take a branch of their own.
// lanewise.args x = empty(2, 3, 2); grid = (2, 3, 2)
gpu.func @last(%x: memref<2x3x2xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 2, 2, 2>, lanewise.scope = "thread"} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %seven = arith.constant 7 : i32
  %nine = arith.constant 9 : i32
  %tx = gpu.thread_id x
  %ty = gpu.thread_id y
  %tz = gpu.thread_id z
  %bx = gpu.block_id x
  %by = gpu.block_id y upper_bound 3
  %bz = gpu.block_id z
  %isx = arith.cmpi uge, %tx, %c1 : index
  %isy = arith.cmpi uge, %ty, %c1 : index
  %isz = arith.cmpi uge, %tz, %c1 : index
  %xy = arith.andi %isx, %isy : i1
  %all = arith.andi %xy, %isz : i1
  scf.if %all {
    %ends = arith.cmpi eq, %by, %c2 : index
    %value = arith.select %ends, %nine, %seven : i32
    memref.store %value, %x[%bz, %by, %bx] : memref<2x3x2xi32>
  }
  gpu.return
}
