// The two results of one elementwise operation are used in different layouts: it is one node, conversions stand at uses.
// test roundtrip
// test run
// test run target=gfx942
// test run target=gfx1201
// lanewise.args x = integers(-100000, 100000, 64), y = integers(-100000, 100000, 64), z = index(64), o1 = empty(64), o2 = empty(64); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2],
  subgroup_strides = [0], thread_strides = [1]>
#B = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>

gpu.func @mulsi_extended(%x: memref<64xi32>, %y: memref<64xi32>, %z: memref<64xi32>, %o1: memref<64xi32>, %o2: memref<64xi32>)
    kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0 : i32
  %a = vector.transfer_read %x[%c0], %pad : memref<64xi32>, vector<64xi32>
  %b = vector.transfer_read %y[%c0], %pad : memref<64xi32>, vector<64xi32>
  %low, %high = arith.mulsi_extended %a, %b : vector<64xi32>
  %q = vector.transfer_read %z[%c0], %pad : memref<64xi32>, vector<64xi32>
  %q1 = iree_vector_ext.to_layout %q to layout(#A) : vector<64xi32>
  %q2 = iree_vector_ext.to_layout %q to layout(#B) : vector<64xi32>
  %r = arith.addi %low, %q1 : vector<64xi32>
  %s = arith.addi %high, %q2 : vector<64xi32>
  vector.transfer_write %r, %o1[%c0] : vector<64xi32>, memref<64xi32>
  vector.transfer_write %s, %o2[%c0] : vector<64xi32>, memref<64xi32>
  gpu.return
}
// -----
// lanewise.args x = integers(-100000, 100000, 64), y = integers(-100000, 100000, 64), z = index(64), o1 = empty(64), o2 = empty(64); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2],
  subgroup_strides = [0], thread_strides = [1]>
#B = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>

gpu.func @mului_extended(%x: memref<64xi32>, %y: memref<64xi32>, %z: memref<64xi32>, %o1: memref<64xi32>, %o2: memref<64xi32>)
    kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0 : i32
  %a = vector.transfer_read %x[%c0], %pad : memref<64xi32>, vector<64xi32>
  %b = vector.transfer_read %y[%c0], %pad : memref<64xi32>, vector<64xi32>
  %low, %high = arith.mului_extended %a, %b : vector<64xi32>
  %q = vector.transfer_read %z[%c0], %pad : memref<64xi32>, vector<64xi32>
  %q1 = iree_vector_ext.to_layout %q to layout(#A) : vector<64xi32>
  %q2 = iree_vector_ext.to_layout %q to layout(#B) : vector<64xi32>
  %r = arith.addi %low, %q1 : vector<64xi32>
  %s = arith.addi %high, %q2 : vector<64xi32>
  vector.transfer_write %r, %o1[%c0] : vector<64xi32>, memref<64xi32>
  vector.transfer_write %s, %o2[%c0] : vector<64xi32>, memref<64xi32>
  gpu.return
}
// -----
// lanewise.args x = integers(-100000, 100000, 64), y = integers(-100000, 100000, 64), z = index(64), o1 = empty(64), o2 = empty(64); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2],
  subgroup_strides = [0], thread_strides = [1]>
#B = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>

gpu.func @addui_extended(%x: memref<64xi32>, %y: memref<64xi32>, %z: memref<64xi32>, %o1: memref<64xi32>, %o2: memref<64xi32>)
    kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0 : i32
  %a = vector.transfer_read %x[%c0], %pad : memref<64xi32>, vector<64xi32>
  %b = vector.transfer_read %y[%c0], %pad : memref<64xi32>, vector<64xi32>
  %low, %high = arith.addui_extended %a, %b : vector<64xi32>, vector<64xi1>
  %carry = arith.extui %high : vector<64xi1> to vector<64xi32>
  %q = vector.transfer_read %z[%c0], %pad : memref<64xi32>, vector<64xi32>
  %q1 = iree_vector_ext.to_layout %q to layout(#A) : vector<64xi32>
  %q2 = iree_vector_ext.to_layout %q to layout(#B) : vector<64xi32>
  %r = arith.addi %low, %q1 : vector<64xi32>
  %s = arith.addi %carry, %q2 : vector<64xi32>
  vector.transfer_write %r, %o1[%c0] : vector<64xi32>, memref<64xi32>
  vector.transfer_write %s, %o2[%c0] : vector<64xi32>, memref<64xi32>
  gpu.return
}
// -----
// lanewise.args x = normal(64), z = index(64), o1 = empty(64), o2 = empty(64); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2],
  subgroup_strides = [0], thread_strides = [1]>
#B = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>

gpu.func @sincos(%x: memref<64xf32>, %z: memref<64xf32>, %o1: memref<64xf32>, %o2: memref<64xf32>)
    kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %pad : memref<64xf32>, vector<64xf32>
  %sine, %cosine = math.sincos %a : vector<64xf32>
  %q = vector.transfer_read %z[%c0], %pad : memref<64xf32>, vector<64xf32>
  %q1 = iree_vector_ext.to_layout %q to layout(#A) : vector<64xf32>
  %q2 = iree_vector_ext.to_layout %q to layout(#B) : vector<64xf32>
  %r = arith.addf %sine, %q1 : vector<64xf32>
  %s = arith.addf %cosine, %q2 : vector<64xf32>
  vector.transfer_write %r, %o1[%c0] : vector<64xf32>, memref<64xf32>
  vector.transfer_write %s, %o2[%c0] : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
// What constants and steps alone give is made anew for each use, with both results.
// lanewise.args z = index(64), o1 = empty(64), o2 = empty(64); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2],
  subgroup_strides = [0], thread_strides = [1]>
#B = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>

gpu.func @of_a_step(%z: memref<64xindex>, %o1: memref<64xindex>, %o2: memref<64xindex>)
    kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %step = vector.step : vector<64xindex>
  %factor = arith.constant dense<4611686018427387907> : vector<64xindex>
  %low, %high = arith.mului_extended %step, %factor : vector<64xindex>
  %q = vector.transfer_read %z[%c0], %c0 : memref<64xindex>, vector<64xindex>
  %q1 = iree_vector_ext.to_layout %q to layout(#A) : vector<64xindex>
  %q2 = iree_vector_ext.to_layout %q to layout(#B) : vector<64xindex>
  %r = arith.addi %low, %q1 : vector<64xindex>
  %s = arith.addi %high, %q2 : vector<64xindex>
  vector.transfer_write %r, %o1[%c0] : vector<64xindex>, memref<64xindex>
  vector.transfer_write %s, %o2[%c0] : vector<64xindex>, memref<64xindex>
  gpu.return
}
