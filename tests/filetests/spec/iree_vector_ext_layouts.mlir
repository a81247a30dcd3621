// The layouts that the iree_vector_ext document gives as examples, in its order, as programs that hold vectors in them. (Which
// element lies where is checked in tests/layout/test_nested.py.) First the order of subgroups: a subgroup_tile of [4, 2] with
// strides [1, 4] is eight subgroups; 256 threads are eight of 32, and four of 64, each of which then holds two of the elements,
// being x mod num_subgroups. Elements are their own linear index, so that one that is misplaced is seen.
// test roundtrip
// test run target=gfx942
// A subgroup has one element, or two, each computed once.
// expect sm_90: thread arith.divf 1
// expect gfx942: thread arith.divf 2
// lanewise.args x = index(4, 2), y = empty(4, 2); grid = 1
#subgroups = #iree_vector_ext.nested_layout<subgroup_tile = [4, 2], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [1, 1], element_tile = [1, 1], subgroup_strides = [1, 4], thread_strides = [0, 0]>
gpu.module @kernels {
  gpu.func @order_of_subgroups(%x: memref<4x2xf16>, %y: memref<4x2xf16>) kernel attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f16
    %0 = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<4x2xf16>, vector<4x2xf16>
    %two = arith.constant dense<2.0> : vector<4x2xf16>
    %1 = iree_vector_ext.to_layout %0 to layout(#subgroups) : vector<4x2xf16>
    %2 = arith.divf %1, %two : vector<4x2xf16>
    %3 = iree_vector_ext.to_layout %2 to layout(#subgroups) : vector<4x2xf16>
    vector.transfer_write %3, %y[%c0, %c0] {in_bounds = [true, true]} : vector<4x2xf16>, memref<4x2xf16>
    gpu.return
  }
}

// -----

// Outers: a thread tile of [2, 5] twice is a vector of 4x5.
// lanewise.args x = index(4, 5), y = empty(4, 5); grid = 1
#outers = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 1], thread_tile = [2, 5], element_tile = [1, 1], subgroup_strides = [0, 0], thread_strides = [5, 1]>
gpu.module @kernels {
  gpu.func @outers(%x: memref<4x5xf16>, %y: memref<4x5xf16>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f16
    %0 = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<4x5xf16>, vector<4x5xf16>
    %1 = iree_vector_ext.to_layout %0 to layout(#outers) : vector<4x5xf16>
    vector.transfer_write %1, %y[%c0, %c0] {in_bounds = [true, true]} : vector<4x5xf16>, memref<4x5xf16>
    gpu.return
  }
}

// -----

// The full example: 64x64 on subgroups of 64. A thread holds vector<2x16>, and computes 32 halves.
// expect gfx942: thread arith.divf 32
// lanewise.args x = index(64, 64), y = empty(64, 64); grid = 1
#full = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [2, 4], outer_tile = [1, 1], thread_tile = [16, 4], element_tile = [1, 4], subgroup_strides = [1, 0], thread_strides = [1, 16]>
gpu.module @kernels {
  gpu.func @full_example(%x: memref<64x64xf16>, %y: memref<64x64xf16>) kernel attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f16
    %two = arith.constant dense<2.0> : vector<64x64xf16>
    %0 = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf16>, vector<64x64xf16>
    %1 = iree_vector_ext.to_layout %0 to layout(#full) : vector<64x64xf16>
    %2 = arith.divf %1, %two : vector<64x64xf16>
    %3 = iree_vector_ext.to_layout %2 to layout(#full) : vector<64x64xf16>
    vector.transfer_write %3, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf16>, memref<64x64xf16>
    gpu.return
  }
}
