// What a kernel says of its GPU (`#iree_gpu.target`) is obeyed: the chip is taken to have no more, and what needs more is refused.
// test compile target=sm_80
#t = #iree_gpu.target<arch = "sm_80", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912>>
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, iree_codegen.target_info = #t} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %b = arith.mulf %a, %a : vector<64xf32>
  vector.transfer_write %b, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "sm_80", features = "", wgp = <compute = fp32|int32, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912>>
gpu.func @f(%x: memref<64xf16>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, iree_codegen.target_info = #t} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf16>, vector<64xf16>
  // expected-error@+1 {{needs fp16, which is not in compute_bitwidths of 'iree_codegen.target_info', fp32|int32}}
  %b = arith.addf %a, %a : vector<64xf16>
  vector.transfer_write %b, %x[%c0] {in_bounds = [true]} : vector<64xf16>, memref<64xf16>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "sm_80", features = "", wgp = <compute = fp32, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912>>
gpu.func @f(%x: memref<64xf64>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, iree_codegen.target_info = #t} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f64
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf64>, vector<64xf64>
  // expected-error@+1 {{needs fp64, which is not in compute_bitwidths of 'iree_codegen.target_info', fp32}}
  %b = arith.mulf %a, %a : vector<64xf64>
  vector.transfer_write %b, %x[%c0] {in_bounds = [true]} : vector<64xf64>, memref<64xf64>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "sm_80", features = "", wgp = <compute = fp32|int32, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912>>
gpu.func @f(%x: memref<64xi8>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, iree_codegen.target_info = #t} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i8
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xi8>, vector<64xi8>
  // expected-error@+1 {{needs int8, which is not in compute_bitwidths of 'iree_codegen.target_info', fp32|int32}}
  %b = arith.addi %a, %a : vector<64xi8>
  vector.transfer_write %b, %x[%c0] {in_bounds = [true]} : vector<64xi8>, memref<64xi8>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "sm_80", features = "", wgp = <compute = fp32|int32, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912>>
gpu.func @f(%x: memref<64xf16>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, iree_codegen.target_info = #t} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf16>, vector<64xf16>
  %w = arith.extf %a : vector<64xf16> to vector<64xf32>
  %s = arith.addf %w, %w : vector<64xf32>
  %b = arith.truncf %s : vector<64xf32> to vector<64xf16>
  vector.transfer_write %b, %x[%c0] {in_bounds = [true]} : vector<64xf16>, memref<64xf16>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "sm_80", features = "", wgp = <compute = fp16, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912>>
gpu.func @f(%x: memref<64xf16>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, iree_codegen.target_info = #t} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf16>, vector<64xf16>
  // expected-error@+1 {{needs fp32, which is not in compute_bitwidths of 'iree_codegen.target_info', fp16}}
  %w = arith.extf %a : vector<64xf16> to vector<64xf32>
  // expected-error@+1 {{needs fp32, which is not in compute_bitwidths of 'iree_codegen.target_info', fp16}}
  %b = arith.truncf %w : vector<64xf32> to vector<64xf16>
  vector.transfer_write %b, %x[%c0] {in_bounds = [true]} : vector<64xf16>, memref<64xf16>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "sm_80", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b16|b32, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912>>
gpu.func @f(%x: memref<64xf64>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, iree_codegen.target_info = #t} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f64
  // expected-error@+1 {{needs b64, which is not in storage_bitwidths of 'iree_codegen.target_info', b32|b16}}
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf64>, vector<64xf64>
  // expected-error@+1 {{needs b64, which is not in storage_bitwidths of 'iree_codegen.target_info', b32|b16}}
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf64>, memref<64xf64>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "sm_80", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b32, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912>>
gpu.func @f(%x: memref<64xi8>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, iree_codegen.target_info = #t} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i8
  // expected-error@+1 {{needs b8, which is not in storage_bitwidths of 'iree_codegen.target_info', b32}}
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xi8>, vector<64xi8>
  // expected-error@+1 {{needs b8, which is not in storage_bitwidths of 'iree_codegen.target_info', b32}}
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xi8>, memref<64xi8>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "sm_80", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = none, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912>>
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, iree_codegen.target_info = #t} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %z = arith.constant 0.0 : f32
  // expected-error@+1 {{needs shuffle, which is not in subgroup_ops of 'iree_codegen.target_info', none}}
  %r = vector.multi_reduction <add>, %a, %z [0] : vector<64xf32> to f32
  %b = vector.broadcast %r : f32 to vector<64xf32>
  vector.transfer_write %b, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "sm_80", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [32, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912>>
// expected-error@+1 {{has 64 threads along x, max_workgroup_sizes of 'iree_codegen.target_info' is [32, 1024, 64]}}
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, iree_codegen.target_info = #t} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "sm_80", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 32, max_workgroup_memory_bytes = 166912>>
// expected-error@+1 {{has 64 threads, max_thread_count_per_workgroup of 'iree_codegen.target_info' is 32}}
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, iree_codegen.target_info = #t} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "sm_80", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [64], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912>>
// expected-error@+1 {{subgroup_size_choices of 'iree_codegen.target_info' are [64], sm_80 has subgroups of 32}}
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, iree_codegen.target_info = #t} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "gfx942", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912>>
// expected-error@+1 {{is for gfx942, as 'iree_codegen.target_info' says, and compiled for sm_80}}
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, iree_codegen.target_info = #t} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "sm_8", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912>>
// expected-error@+1 {{arch of 'iree_codegen.target_info': unknown target 'sm_8'}}
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, iree_codegen.target_info = #t} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "sm_80", features = "+ptx76", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912>>
// expected-error@+1 {{has features "+ptx76" in 'iree_codegen.target_info', which lanewise does not obey}}
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, iree_codegen.target_info = #t} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "sm_80", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912, extra = {a = 1}>>
// expected-error@+1 {{has extra in 'iree_codegen.target_info', which lanewise does not obey}}
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, iree_codegen.target_info = #t} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "sm_80", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912, max_load_instruction_bits = 64>>
// expected-error@+1 {{has max_load_instruction_bits = 64 in 'iree_codegen.target_info', which lanewise does not obey}}
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, iree_codegen.target_info = #t} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "sm_80", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912, workgroup_memory_bank_count = 16>>
// expected-error@+1 {{has workgroup_memory_bank_count = 16 in 'iree_codegen.target_info', sm_80 has 32}}
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, iree_codegen.target_info = #t} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "sm_80", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912, max_workgroup_counts = [4, 1, 1]>>
// expected-error@+1 {{has max_workgroup_counts = [4, 1, 1] in 'iree_codegen.target_info', fewer than sm_80 has}}
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, iree_codegen.target_info = #t} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "sm_80", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912, max_workgroup_counts = [2147483647, 65535, 65535], simds_per_wgp = 4, vgpr_space_bits = 16384, dma_sizes = [32]>, chip = <wgp_count = 108, sku = "a100">>
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, iree_codegen.target_info = #t} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "sm_80", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 2048>>
// expected-error@+1 {{workgroup memory %s 4096 = 4096 bytes; sm_80, limited by 'iree_codegen.target_info', has 2048}}
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, iree_codegen.target_info = #t} {
  %c0 = arith.constant 0 : index
  %s = memref.alloc() : memref<1024xf32, #gpu.address_space<workgroup>>
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %a, %s[%c0] {in_bounds = [true]} : vector<64xf32>, memref<1024xf32, #gpu.address_space<workgroup>>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "sm_80", features = "", wgp = <compute = fp32|int32, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912>>
gpu.func @f(%A: memref<32x32xf16>, %C: memref<32x32xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, iree_codegen.target_info = #t} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<32x32xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>, lowering_config = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>} %a, %a, %z : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
  vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "sm_80", features = "", wgp = <compute = fp32|int32, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F16_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912>>
gpu.func @f(%A: memref<32x32xf16>, %C: memref<32x32xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, iree_codegen.target_info = #t} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<32x32xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  // expected-error@+1 {{sm_80, limited by 'iree_codegen.target_info', has no matrix instruction for f16 * f16 + f32}}
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>, lowering_config = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>} %a, %a, %z : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
  vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "sm_80", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912>>
#e = #hal.executable.target<"cuda", "cuda-nvptx-fb", {iree.gpu.target = #t}>
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, hal.executable.target = #e} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "sm_80", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912>>
#e = #hal.executable.target<"cuda", "cuda-nvptx-fb", {iree.gpu.target = #t, ukernels = "none"}>
// expected-error@+1 {{has 'ukernels' in its hal.executable.target, which lanewise does not obey}}
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, hal.executable.target = #e} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "sm_80", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912>>
#e = "cuda"
// expected-error@+1 {{hal.executable.target must be #hal.executable.target<...>, found "cuda"}}
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, hal.executable.target = #e} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "sm_80", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912>>
// expected-error@+1 {{iree_codegen.target_info must be #iree_gpu.target<...>, found 3 : i64}}
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, iree_codegen.target_info = 3} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
#t = #iree_gpu.target<arch = "sm_80", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912>>
#u = #iree_gpu.target<arch = "sm_90", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 64], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912>>
// expected-error@+1 {{has iree_codegen.target_info and iree.gpu.target, which differ}}
gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, iree_codegen.target_info = #t, iree.gpu.target = #u} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
