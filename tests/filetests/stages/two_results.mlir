// A dump whose elementwise operation has its results in two layouts: refused, with both, before anything is computed.
// test distribute
#layout = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>
#other = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2],
  subgroup_strides = [0], thread_strides = [1]>
module attributes {lanewise.stage = "layout", lanewise.target = "sm_90"} {
  gpu.func @f(%x: memref<64xi32>, %o1: memref<64xi32>, %o2: memref<64xi32>) kernel
      attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0 : i32
    %a = vector.transfer_read %x[%c0], %pad {lanewise.layout = #layout} : memref<64xi32>, vector<64xi32>
    // expected-error@+1 {{has result 0 in layout <subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]> and result 1 in layout <subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>; all share one}}
    %low, %high = arith.mulsi_extended %a, %a {lanewise.layout = [#layout, #other]} : vector<64xi32>
    vector.transfer_write %low, %o1[%c0] : vector<64xi32>, memref<64xi32>
    vector.transfer_write %high, %o2[%c0] : vector<64xi32>, memref<64xi32>
    gpu.return
  }
}
