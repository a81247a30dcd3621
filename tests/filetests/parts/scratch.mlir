// Exchanges of parts that run at once have bytes of their own; those of splits one after the other use the same.
// test run
// 64 f32 of one subgroup and 192 f32 of three lie side by side: 1024 bytes. The second split exchanges 128 f32 in each of
// two parts, in the same 1024. In each part a barrier stands between the stores and the loads of its one exchange, and one
// of the workgroup between the splits, since other threads use the bytes.
// expect sm_80: shared bytes 1024, thread gpu.barrier 5
// lanewise.args a = index(64), b = index(192), c = empty(64), d = empty(192), e = empty(128), f = empty(128); grid = 2
#one = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32],
  element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
#one_apart = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32],
  element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
#three = #iree_vector_ext.nested_layout<subgroup_tile = [3], batch_tile = [1], outer_tile = [1], thread_tile = [32],
  element_tile = [2], subgroup_strides = [1], thread_strides = [1]>
#three_apart = #iree_vector_ext.nested_layout<subgroup_tile = [3], batch_tile = [2], outer_tile = [1], thread_tile = [32],
  element_tile = [1], subgroup_strides = [1], thread_strides = [1]>
#two = #iree_vector_ext.nested_layout<subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32],
  element_tile = [2], subgroup_strides = [1], thread_strides = [1]>
#two_apart = #iree_vector_ext.nested_layout<subgroup_tile = [2], batch_tile = [2], outer_tile = [1], thread_tile = [32],
  element_tile = [1], subgroup_strides = [1], thread_strides = [1]>
gpu.func @k(%a: memref<64xf32>, %b: memref<192xf32>, %c: memref<64xf32>, %d: memref<192xf32>, %e: memref<128xf32>,
    %f: memref<128xf32>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.subgroup_size = 32 : i64} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  lanewise.split {subgroups = array<i64: 1, 3>} {
    %x = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
    %y = iree_vector_ext.to_layout %x to layout(#one) : vector<64xf32>
    %w = iree_vector_ext.to_layout %y to layout(#one_apart) {shared_memory_conversion} : vector<64xf32>
    vector.transfer_write %w, %c[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  } {
    %x = vector.transfer_read %b[%c0], %z {in_bounds = [true]} : memref<192xf32>, vector<192xf32>
    %y = iree_vector_ext.to_layout %x to layout(#three) : vector<192xf32>
    %w = iree_vector_ext.to_layout %y to layout(#three_apart) {shared_memory_conversion} : vector<192xf32>
    vector.transfer_write %w, %d[%c0] {in_bounds = [true]} : vector<192xf32>, memref<192xf32>
  }
  lanewise.split {subgroups = array<i64: 2, 2>} {
    %x = vector.transfer_read %b[%c0], %z {in_bounds = [true]} : memref<192xf32>, vector<128xf32>
    %y = iree_vector_ext.to_layout %x to layout(#two) : vector<128xf32>
    %w = iree_vector_ext.to_layout %y to layout(#two_apart) {shared_memory_conversion} : vector<128xf32>
    vector.transfer_write %w, %e[%c0] {in_bounds = [true]} : vector<128xf32>, memref<128xf32>
  } {
    %x = vector.transfer_read %b[%c0], %z {in_bounds = [true]} : memref<192xf32>, vector<128xf32>
    %y = iree_vector_ext.to_layout %x to layout(#two) : vector<128xf32>
    %w = iree_vector_ext.to_layout %y to layout(#two_apart) {shared_memory_conversion} : vector<128xf32>
    vector.transfer_write %w, %f[%c0] {in_bounds = [true]} : vector<128xf32>, memref<128xf32>
  }
  gpu.return
}
