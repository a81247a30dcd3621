// test compile target=sm_90
#group = #gpu.address_space<workgroup>
gpu.func @of_a_subgroup(%x: memref<4x64xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "subgroup"} {
  %c0 = arith.constant 0 : index
  %s = memref.alloc() : memref<4x64xf16, #group>
  // expected-error@+1 {{is of all threads of a workgroup, and stands in a program of subgroups}}
  iree_gpu.async_dma %x[%c0, %c0] to %s[%c0, %c0], vector<4x64xf16> : memref<4x64xf16>, memref<4x64xf16, #group>
  gpu.return
}
// -----
#group = #gpu.address_space<workgroup>
gpu.func @of_a_workgroup(%x: memref<4x64xf16>, %l: index) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %s = memref.alloc() : memref<4x64xf16, #group>
  // expected-error@+1 {{is of lanes, and stands in the program of a workgroup}}
  iree_gpu.coalesced_gather_dma %x into %s lane(%l) : memref<4x64xf16>, memref<4x64xf16, #group>, index
  gpu.return
}
// -----
gpu.func @outside(%x: memref<4x64xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %l = gpu.lane_id
  %t = bufferization.to_tensor %x : memref<4x64xf16> to tensor<4x64xf16>
  %e = tensor.empty() : tensor<4x64xf16>
  // expected-error@+1 {{gives a tensor of a subgroup, which lanewise has no place for}}
  %r = iree_gpu.coalesced_gather_dma %t into %e lane(%l) : tensor<4x64xf16>, tensor<4x64xf16>, index -> tensor<4x64xf16>
  bufferization.materialize_in_destination %r in writable %x : (tensor<4x64xf16>, memref<4x64xf16>) -> ()
  gpu.return
}
// -----
#group = #gpu.address_space<workgroup>
gpu.func @nibbles(%x: memref<4x3xi4>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %l = gpu.lane_id
  %s = memref.alloc() : memref<4x3xi4, #group>
  // expected-error@+1 {{copies single elements of 4 bits: two threads would write one byte}}
  iree_gpu.coalesced_gather_dma %x into %s lane(%l) : memref<4x3xi4>, memref<4x3xi4, #group>, index
  gpu.return
}
// -----
gpu.func @everybodys(%x: memref<4xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  // expected-error@+1 {{is a tensor of all threads, which one thread's program cannot change}}
  %e = bufferization.alloc_tensor() <{memory_space = #gpu.address_space<workgroup>}> : tensor<4xf32>
  %t = tensor.insert %one into %e[%c0] : tensor<4xf32>
  bufferization.materialize_in_destination %t in writable %x : (tensor<4xf32>, memref<4xf32>) -> ()
  gpu.return
}
// -----
#held = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32],
  element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
gpu.func @promoted(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0], %pad {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %u = iree_vector_ext.to_layout %v to layout(#held) <shared_memory_conversion = #iree_gpu.derived_thread_config> : vector<64xf32>
  // expected-error@+1 {{goes through shared memory by #iree_gpu.use_global_load_dma; lanewise promotes by #iree_gpu.derived_thread_config}}
  %w = iree_vector_ext.to_layout %u to layout(#held) <shared_memory_conversion = #iree_gpu.use_global_load_dma> : vector<64xf32>
  vector.transfer_write %w, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
// Nobody would copy but what all lanes take for their own.
#group = #gpu.address_space<workgroup>
gpu.func @everybodys_lane(%x: memref<64xf32>, %i: index) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %s = memref.alloc() : memref<64xf32, #group>
  // expected-error@+1 {{takes for the lane's number what all lanes of a subgroup have in common}}
  iree_gpu.coalesced_gather_dma %x into %s lane(%i) : memref<64xf32>, memref<64xf32, #group>, index
  gpu.return
}
// -----
#group = #gpu.address_space<workgroup>
gpu.func @subgroups_number(%x: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %two = arith.constant 2 : index
  %w = gpu.subgroup_id : index
  %n = arith.muli %w, %two : index
  %s = memref.alloc() : memref<64xf32, #group>
  // expected-error@+1 {{takes for the lane's number what all lanes of a subgroup have in common}}
  iree_gpu.coalesced_gather_dma %x into %s lane(%n) : memref<64xf32>, memref<64xf32, #group>, index
  gpu.return
}
// -----
#group = #gpu.address_space<workgroup>
gpu.func @lane_twice_as_far(%x: memref<64xf32>, %n: memref<64xindex>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.subgroup_size = 32 : i64, lanewise.scope = "thread"} {
  %s = memref.alloc() : memref<64xf32, #group>
  %id = gpu.thread_id x
  %l = gpu.lane_id
  %two = arith.constant 2 : index
  %lane = arith.muli %l, %two : index
  // expected-error@+1 {{takes for the lane's number what is not shown to be one: elements might not be copied}}
  iree_gpu.coalesced_gather_dma %x into %s lane(%lane) : memref<64xf32>, memref<64xf32, #group>, index
  gpu.return
}
// -----
#group = #gpu.address_space<workgroup>
gpu.func @a_threads_number(%x: memref<64xf32>, %n: memref<64xindex>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.subgroup_size = 32 : i64, lanewise.scope = "thread"} {
  %s = memref.alloc() : memref<64xf32, #group>
  %id = gpu.thread_id x
  %zero = arith.constant 0 : index
  %lane = arith.addi %id, %zero : index
  // expected-error@+1 {{takes for the lane's number what is not shown to be one: elements might not be copied}}
  iree_gpu.coalesced_gather_dma %x into %s lane(%lane) : memref<64xf32>, memref<64xf32, #group>, index
  gpu.return
}
// -----
#group = #gpu.address_space<workgroup>
gpu.func @lane_from_memory(%x: memref<64xf32>, %n: memref<64xindex>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.subgroup_size = 32 : i64, lanewise.scope = "thread"} {
  %s = memref.alloc() : memref<64xf32, #group>
  %id = gpu.thread_id x
  %lane = memref.load %n[%id] : memref<64xindex>
  // expected-error@+1 {{takes for the lane's number what is not shown to be one: elements might not be copied}}
  iree_gpu.coalesced_gather_dma %x into %s lane(%lane) : memref<64xf32>, memref<64xf32, #group>, index
  gpu.return
}
