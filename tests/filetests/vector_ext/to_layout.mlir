// `mma_kind` beside an operand: another instruction than the one that is chosen without it, m16n8k8.
// test roundtrip
// test run
// test run target=sm_80
// 32/16 * 32/8 * 32/8 = 32 instructions of the one subgroup; m16n8k16 would be 16.
// expect sm_90: mma 32, fma 0
// lanewise.args a = integers(-3, 3, 32, 32), b = integers(-3, 3, 32, 32), c = empty(32, 32); grid = 1
#lhs = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [2, 4], outer_tile = [2, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
gpu.module @kernels {
  gpu.func @operand(%a: memref<32x32xf16>, %b: memref<32x32xf16>, %c: memref<32x32xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f16
    %z = arith.constant dense<0.0> : vector<32x32xf32>
    %0 = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
    %1 = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
    %2 = iree_vector_ext.to_layout %0 to layout(#lhs) {mma_kind = #lanewise.mma_layout<NV_MMA_SYNC_F32_16x8x8_F16>} : vector<32x32xf16>
    %3 = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %2, %1, %z : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
    vector.transfer_write %3, %c[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
    gpu.return
  }
}

// -----

// The same behind the product: its result is held as the accumulator of the instruction.
// expect sm_90: mma 32, fma 0
// lanewise.args a = integers(-3, 3, 32, 32), b = integers(-3, 3, 32, 32), c = empty(32, 32); grid = 1
#acc = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [2, 4], outer_tile = [2, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
gpu.module @kernels {
  gpu.func @result(%a: memref<32x32xf16>, %b: memref<32x32xf16>, %c: memref<32x32xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f16
    %z = arith.constant dense<0.0> : vector<32x32xf32>
    %0 = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
    %1 = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
    %2 = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %0, %1, %z : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
    %3 = iree_vector_ext.to_layout %2 to layout(#acc) {mma_kind = #lanewise.mma_layout<NV_MMA_SYNC_F32_16x8x8_F16>} : vector<32x32xf32>
    vector.transfer_write %3, %c[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
    gpu.return
  }
}

// -----

// A conversion that four lanes could do with shuffles goes through shared memory, since it is to: 32 floats.
// expect sm_90: shuffles 0, shared bytes 256, barriers 1
// lanewise.args x = normal(64), y = empty(64); grid = 1
#pairs = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
#halves = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
gpu.module @kernels {
  gpu.func @through_memory(%x: memref<64xf32>, %y: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.subgroup_size = 32 : i64} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %0 = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
    %1 = iree_vector_ext.to_layout %0 to layout(#pairs) : vector<64xf32>
    %2 = iree_vector_ext.to_layout %1 to layout(#halves) <shared_memory_conversion = unit> : vector<64xf32>
    vector.transfer_write %2, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
    gpu.return
  }
}
