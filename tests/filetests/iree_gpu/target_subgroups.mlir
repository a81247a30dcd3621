// What a target leaves of a chip's sizes of subgroups is what code is generated for, and launched with, whatever the chip's
// first is: lanes 32 apart change places, which subgroups of 32 could not.
// test run target=gfx1100
// lanewise.args x = index(64), y = empty(64)
#t = #iree_gpu.target<arch = "gfx1100", features = "", wgp = <compute = fp32|int32, storage = b32, subgroup = shuffle, dot = none, mma = [], subgroup_size_choices = [64], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 65536>>
gpu.func @f(%x: memref<64xf32>, %y: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread", iree_codegen.target_info = #t} {
  %t = gpu.thread_id x
  %far = arith.constant 32 : i32
  %all = arith.constant 64 : i32
  %v = memref.load %x[%t] : memref<64xf32>
  %w, %there = gpu.shuffle xor %v, %far, %all : f32
  memref.store %w, %y[%t] : memref<64xf32>
  gpu.return
}
// -----
// lanewise.args x = index(64), y = empty(64)
#t = #iree_gpu.target<arch = "gfx1100", features = "", wgp = <compute = fp32|int32, storage = b32, subgroup = shuffle, dot = none, mma = [], subgroup_size_choices = [64, 32], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 65536>>
gpu.func @f(%x: memref<64xf32>, %y: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread", iree_codegen.target_info = #t} {
  %t = gpu.thread_id x
  %far = arith.constant 32 : i32
  %all = arith.constant 64 : i32
  %v = memref.load %x[%t] : memref<64xf32>
  %w, %there = gpu.shuffle xor %v, %far, %all : f32
  memref.store %w, %y[%t] : memref<64xf32>
  gpu.return
}
// -----
// lanewise.args x = index(64), y = empty(64)
#t = #iree_gpu.target<arch = "gfx1100", features = "", wgp = <compute = fp32|int32, storage = b32, subgroup = shuffle, dot = none, mma = [], subgroup_size_choices = [32, 64], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 65536>>
gpu.func @f(%x: memref<64xf32>, %y: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread", iree_codegen.target_info = #t, lanewise.subgroup_size = 64 : i64} {
  %t = gpu.thread_id x
  %far = arith.constant 32 : i32
  %all = arith.constant 64 : i32
  %v = memref.load %x[%t] : memref<64xf32>
  %w, %there = gpu.shuffle xor %v, %far, %all : f32
  memref.store %w, %y[%t] : memref<64xf32>
  gpu.return
}
