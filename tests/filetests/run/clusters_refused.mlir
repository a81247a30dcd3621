// What a kernel says of clusters is wrong, or goes with nothing else that moves workgroups.
// test compile target=sm_90
// expected-error@+1 {{known_cluster_size of [3, 3, 1] has 9 workgroups, the limit is 8}}
gpu.func @many() kernel attributes {gpu.known_block_size = array<i32: 32>, known_cluster_size = array<i32: 3, 3, 1>} {
  gpu.return
}

// -----

// expected-error@+1 {{known_cluster_size must be array<i32: ...> of up to three positive numbers, found array<i32: 0, 1, 1>}}
gpu.func @none() kernel attributes {gpu.known_block_size = array<i32: 32>, known_cluster_size = array<i32: 0>} {
  gpu.return
}

// -----

// expected-error@+1 {{has lanewise.persist and a known_cluster_size of [2, 1, 1]: it moves workgroups}}
gpu.func @stays() kernel attributes {gpu.known_block_size = array<i32: 32>, known_cluster_size = array<i32: 2>, lanewise.persist = true} {
  gpu.return
}

// -----

#options = #iree_gpu.pipeline_options<reorder_workgroups_strategy = <Transpose>>
#info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [32, 1, 1] subgroup_size = 32, {gpu_pipeline_options = #options}>
// expected-error@+1 {{kernel '@ordered' reorders workgroups that come in clusters}}
gpu.func @ordered(%x: memref<4xindex>) kernel attributes {translation_info = #info, known_cluster_size = array<i32: 2>} {
  %b = gpu.block_id x
  memref.store %b, %x[%b] : memref<4xindex>
  gpu.return
}

// -----

gpu.func @part(%x: memref<4xindex>) kernel attributes {gpu.known_block_size = array<i32: 64>, known_cluster_size = array<i32: 2>} {
  lanewise.split {subgroups = array<i64: 1, 1>} {
    // expected-error@+1 {{is of all threads of a cluster, and stands in a part of a workgroup}}
    gpu.barrier scope <cluster>
  } {
  }
  gpu.return
}
