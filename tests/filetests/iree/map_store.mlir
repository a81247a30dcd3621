// iree_linalg_ext.map_store: a region says where each element goes, and whether.
// test roundtrip
// test run target=sm_90
// test run target=gfx1100
// test run target=sm_80
// test run target=gfx942
// lanewise.args x = index(4, 32), y = empty(4, 32), z = zeros(64, 4), w = zeros(131), bound = 20
gpu.module @m {
  gpu.func @stores(%x: memref<4x32xf32>, %y: memref<4x32xf32>, %z: memref<64x4xf32>, %w: memref<131xf32>, %bound: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<4x32xf32>, vector<4x32xf32>
    iree_linalg_ext.map_store %v into %y {
    ^bb0(%i: index, %j: index):
      %mask = arith.constant true
      iree_linalg_ext.yield %i, %j, %mask : index, index, i1
    } : vector<4x32xf32> into memref<4x32xf32>
    iree_linalg_ext.map_store %v into %z {
    ^bb0(%i: index, %j: index):
      %mask = arith.cmpi slt, %j, %bound : index
      %row = affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%j)
      iree_linalg_ext.yield %row, %i, %mask : index, index, i1
    } : vector<4x32xf32> into memref<64x4xf32>
    iree_linalg_ext.map_store %v into %w {
    ^bb0(%i: index, %j: index):
      %mask = arith.constant true
      %linear = affine.linearize_index disjoint [%i, %j] by (4, 32) : index
      %parts:3 = affine.delinearize_index %linear into (2, 8, 8) : index, index, index
      %back = affine.linearize_index disjoint [%parts#2, %parts#1, %parts#0] by (8, 8, 2) : index
      %three = arith.constant 3 : index
      %moved = arith.addi %back, %three : index
      iree_linalg_ext.yield %moved, %mask : index, i1
    } : vector<4x32xf32> into memref<131xf32>
    gpu.return
  }
}
// -----
// Where each index is one of the vector's own, whole rows move: 128 floats are 16 sectors, read once and written once.
// lanewise.args x = index(4, 32), y = empty(32, 4)
// expect sm_90: sectors 32
// expect gfx942: sectors 32
gpu.module @m {
  gpu.func @transposed(%x: memref<4x32xf32>, %y: memref<32x4xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<4x32xf32>, vector<4x32xf32>
    iree_linalg_ext.map_store %v into %y {
    ^bb0(%i: index, %j: index):
      %mask = arith.constant true
      iree_linalg_ext.yield %j, %i, %mask : index, index, i1
    } : vector<4x32xf32> into memref<32x4xf32>
    gpu.return
  }
}
