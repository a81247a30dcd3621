// What a program says is obeyed or refused by name; subgroups have the size that is asked for, or there is no code.
// test compile target=sm_90
// expected-error@+1 {{asks for subgroups of 64 threads, sm_90 has subgroups of 32}}
gpu.func @f(%x: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.subgroup_size = 64 : i64} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
// expected-error@+1 {{has the attribute 'lanewise.scop', which nothing reads}}
gpu.func @f(%x: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scop = "thread"} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
// expected-error@+1 {{has the attribute 'gpu.known_grid_size', which nothing reads}}
gpu.func @f(%x: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, gpu.known_grid_size = array<i32: 4, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
// expected-error@+1 {{has the attribute 'known_grid_size', which lanewise does not obey}}
gpu.func @f(%x: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 4, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
// expected-error@+1 {{has the attribute 'llvm.noalias' of argument 0, '%x', which nothing reads}}
gpu.func @f(%x: memref<64xf32> {llvm.noalias}) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
// expected-error@+1 {{has the attribute 'lanewise.pipeline', which nothing reads}}
module attributes {lanewise.pipeline = "fast"} {
gpu.func @f(%x: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
}
// -----
gpu.func @f(%x: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  // expected-error@+1 {{'arith.addf' op has the attribute 'unroll', which nothing reads}}
  %b = arith.addf %a, %a {unroll = 4 : i64} : vector<64xf32>
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
gpu.func @f(%x: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  // expected-error@+1 {{has a lowering_config, which is read of vector.contract, iree_gpu.multi_mma, iree_codegen.inner_tiled, vector.multi_reduction}}
  %b = vector.shape_cast %a {lowering_config = #iree_gpu.lowering_config<{thread = [4]}>} : vector<64xf32> to vector<8x8xf32>
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
gpu.func @f(%x: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %z = arith.constant 0.0 : f32
  // expected-error@+2 {{has 'convert_acc_gemm' in its lowering_config, which lanewise does not obey}}
  %d = vector.contract {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>],
    iterator_types = ["reduction"], kind = #vector.kind<add>, lowering_config = #iree_gpu.lowering_config<{convert_acc_gemm}>}
    %a, %a, %z : vector<64xf32>, vector<64xf32> into f32
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
gpu.func @f(%x: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  // expected-error@+1 {{has 'partial_reduction' in its lowering_config, which lanewise does not obey}}
  %d = arith.addf %a, %a {lowering_config = #iree_gpu.lowering_config<{partial_reduction = [4]}>} : vector<64xf32>
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
gpu.func @f(%x: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %z = arith.constant 0.0 : f32
  // expected-error@+2 {{lowering_config: subgroup_basis without mma_kind}}
  %d = vector.contract {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>],
    iterator_types = ["reduction"], kind = #vector.kind<add>, lowering_config = #iree_gpu.lowering_config<{subgroup_basis = [[1, 1], [0, 1]]}>}
    %a, %a, %z : vector<64xf32>, vector<64xf32> into f32
  memref.store %d, %x[%c0] : memref<64xf32>
  gpu.return
}
// -----
gpu.func @f(%x: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %z = arith.constant 0.0 : f32
  // expected-error@+2 {{lowering_config: promote_operands without mma_kind}}
  %d = vector.contract {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>],
    iterator_types = ["reduction"], kind = #vector.kind<add>, lowering_config = #iree_gpu.lowering_config<{promote_operands = [0, 1]}>}
    %a, %a, %z : vector<64xf32>, vector<64xf32> into f32
  memref.store %d, %x[%c0] : memref<64xf32>
  gpu.return
}
// -----
gpu.func @f(%x: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %z = arith.constant 0.0 : f32
  // expected-error@+1 {{lowering_config must be #iree_gpu.lowering_config}}
  %d = vector.contract {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>],
    iterator_types = ["reduction"], kind = #vector.kind<add>, lowering_config = [1, 2]}
    %a, %a, %z : vector<64xf32>, vector<64xf32> into f32
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
// expected-error@+1 {{asks for the pipeline #iree_gpu.pipeline<WinogradVectorize>; there is #iree_gpu.pipeline<VectorDistribute>, #iree_gpu.pipeline<TileAndFuse>}}
func.func @f(%x: memref<64xf32>) attributes {translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUWinogradVectorize workgroup_size = [64, 1, 1]>} {
  return
}
// -----
// expected-error@+2 {{asks for the pipeline #iree_codegen.transform_dialect_codegen}}
// expected-error@+1 {{has 'codegen_spec' in its translation_info, which lanewise does not obey}}
func.func @f(%x: memref<64xf32>) attributes {translation_info = #iree_codegen.translation_info<pipeline = TransformDialectCodegen codegen_spec = @spec workgroup_size = [64, 1, 1]>} {
  return
}
// -----
func.func @f(%x: memref<64xf32>) attributes {translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [64, 1, 1], {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 0, no_reduce_shared_memory_bank_conflicts = false, use_igemm_convolution = false, reorder_workgroups_strategy = <None>>}>} {
  return
}
// -----
// expected-error@+1 {{has prefetch_num_stages = 5 in its pipeline_options; lanewise does 0, 1, 2, 3 or 4}}
func.func @f(%x: memref<64xf32>) attributes {translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [64, 1, 1], {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 5>}>} {
  return
}
// -----
// expected-error@+1 {{has no_reduce_shared_memory_bank_conflicts = true in its pipeline_options; lanewise does false}}
func.func @f(%x: memref<64xf32>) attributes {translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [64, 1, 1], {gpu_pipeline_options = #iree_gpu.pipeline_options<no_reduce_shared_memory_bank_conflicts = true>}>} {
  return
}
// -----
// expected-error@+1 {{has use_igemm_convolution = true in its pipeline_options; lanewise does false}}
func.func @f(%x: memref<64xf32>) attributes {translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [64, 1, 1], {gpu_pipeline_options = #iree_gpu.pipeline_options<use_igemm_convolution = true>}>} {
  return
}
// -----
// expected-error@+1 {{has 'llvm_func_attrs' in its translation_info, which lanewise does not obey}}
func.func @f(%x: memref<64xf32>) attributes {translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [64, 1, 1], {llvm_func_attrs = {unsafe = "true"}}>} {
  return
}
// -----
// expected-error@+1 {{asks for subgroups of 64 threads, sm_90 has subgroups of 32}}
func.func @f(%x: memref<64xf32>) attributes {translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [64, 1, 1] subgroup_size = 64>} {
  return
}
// -----
gpu.func @f(%x: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  // expected-error@+1 {{'iree_vector_ext.to_layout' op has 'mma_kind', but no vector.contract takes or gives its value}}
  %b = iree_vector_ext.to_layout %a to layout(#iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1],
    outer_tile = [1], thread_tile = [64], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>)
    {mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>} : vector<64xf32>
  vector.transfer_write %b, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
#acc = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [2, 4], outer_tile = [2, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
gpu.func @f(%x: memref<32x32xf16>, %y: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<32x32xf32>
  %a = vector.transfer_read %x[%c0, %c0], %p : memref<32x32xf16>, vector<32x32xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>, lowering_config = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>}
    %a, %a, %z : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
  // expected-error@+1 {{has 'mma_kind' #lanewise.mma_layout<NV_MMA_SYNC_F32_16x8x8_F16> at a contraction that asks for}}
  %e = iree_vector_ext.to_layout %d to layout(#acc) {mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x8_F16>} : vector<32x32xf32>
  vector.transfer_write %e, %y[%c0, %c0] : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
// -----
gpu.func @f(%x: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  // expected-error@+1 {{has 'mma_kind', which is read of iree_vector_ext.to_layout alone}}
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true], mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x8_F16>} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
#one = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [64], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
module attributes {lanewise.stage = "layout", lanewise.target = "sm_90"} {
  gpu.func @f(%x: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %a = vector.transfer_read %x[%c0], %p {in_bounds = [true], lanewise.layout = #one} : memref<64xf32>, vector<64xf32>
    // expected-error@+1 {{has 'mma_kind', which is read in the vector stage, not in the layout stage}}
    %b = iree_vector_ext.to_layout %a to layout(#one) {lanewise.layout = #one, mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x8_F16>} : vector<64xf32>
    vector.transfer_write %b, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
    gpu.return
  }
}
// -----
gpu.func @f(%x: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %k = vector.constant_mask [60] : vector<64xi1>
  %p = arith.constant dense<0.0> : vector<64xf32>
  %a = vector.expandload %x[%c0], %k, %p : memref<64xf32>, vector<64xi1>, vector<64xf32> into vector<64xf32>
  vector.compressstore %x[%c0], %k, %a : memref<64xf32>, vector<64xi1>, vector<64xf32>
  // expected-error@+1 {{has 'lanewise.distinct', which is read of vector.scatter alone}}
  vector.store %a, %x[%c0] {lanewise.distinct} : memref<64xf32>, vector<64xf32>
  gpu.return
}
// -----
// The line of an option, not of the function.
#options = #iree_gpu.pipeline_options<
  prefetch_num_stages = 6> // expected-error {{has prefetch_num_stages = 6 in its pipeline_options; lanewise does 0, 1, 2, 3 or 4}}
func.func @f(%x: memref<64xf32>) attributes {translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [64, 1, 1], {gpu_pipeline_options = #options}>} {
  return
}
