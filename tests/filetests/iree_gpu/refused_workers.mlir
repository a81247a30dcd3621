// Workers that wait for each other, of which one thread would be several, or which are fewer than the threads: "the
// lowerings must provide the number of workers requested by the loop" (IREE's document of iree_gpu.shuffle_tensor).
// test compile target=gfx942 emit=thread
func.func @one_step_after_the_other(%x: memref<64xf32>) attributes {lanewise.scope = "thread", translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [64, 1, 1] subgroup_size = 64>} {
  %all = bufferization.to_tensor %x : memref<64xf32> to tensor<64xf32>
  %empty = tensor.empty() : tensor<64xf32>
  // expected-error@+1 {{'scf.forall' op has workers that wait for each other at a barrier, and has 8 of them for 1 of #gpu.thread}}
  scf.forall (%i, %j) in (8, 8) {
    %n = affine.linearize_index [%i, %j] by (8, 8) : index
    %mine = tensor.extract_slice %all[%n] [1] [1] : tensor<64xf32> to tensor<1xf32>
    %taken = iree_gpu.shuffle_tensor %mine[%n] [1] [1] to %empty {
    ^bb0(%whole: tensor<64xf32>):
      %slice = tensor.extract_slice %whole[%n] [1] [1] : tensor<64xf32> to tensor<1xf32>
      iree_gpu.yield %slice : tensor<1xf32>
    } : tensor<1xf32> -> tensor<64xf32> -> tensor<1xf32>
    %row = memref.subview %x[%n] [1] [1] : memref<64xf32> to memref<1xf32, strided<[1], offset: ?>>
    bufferization.materialize_in_destination %taken in writable %row : (tensor<1xf32>, memref<1xf32, strided<[1], offset: ?>>) -> ()
  } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
  return
}

// -----

func.func @fewer_than_threads(%x: memref<64xf32>) attributes {lanewise.scope = "thread", translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [64, 1, 1] subgroup_size = 64>} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{has workers that wait for each other at a barrier, and has 32 of them for 64 of #gpu.thread}}
  scf.forall (%i) in (32) {
    %v = vector.load %x[%i] : memref<64xf32>, vector<1xf32>
    %w = iree_gpu.value_barrier %v : vector<1xf32>
    vector.store %w, %x[%i] : memref<64xf32>, vector<1xf32>
  } {mapping = [#gpu.thread<linear_dim_0>]}
  return
}

// -----

func.func @of_unknown_number(%x: memref<64xf32>, %n: index) attributes {lanewise.scope = "thread", translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [64, 1, 1] subgroup_size = 64>} {
  // expected-error@+1 {{and has a number that is not known of them for 64 of #gpu.thread}}
  scf.forall (%i) in (%n) {
    gpu.barrier
  } {mapping = [#gpu.thread<x>]}
  return
}

// -----

func.func @mapped_to_no_threads(%x: memref<64xf32>) attributes {lanewise.scope = "thread", translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [64, 1, 1] subgroup_size = 64>} {
  // expected-error@+1 {{has workers that wait for each other at a barrier, and is mapped to no threads, so that one goes on as the next}}
  scf.forall (%i) in (64) {
    gpu.barrier
  }
  return
}

// -----

// One subgroup of the workgroup's one, all of its lanes, and all of its threads: as many workers as there are.
func.func @as_many_as_there_are(%x: memref<64xf32>) attributes {lanewise.scope = "thread", translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [8, 8, 1] subgroup_size = 64>} {
  scf.forall (%i) in (64) {
    gpu.barrier
  } {mapping = [#iree_gpu.lane_id<0>]}
  scf.forall (%i, %j) in (8, 8) {
    gpu.barrier
  } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
  scf.forall (%i, %j) in (16, 4) {
    gpu.barrier
  } {mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]}
  scf.forall (%i) in (1) {
    gpu.barrier
  } {mapping = [#gpu.warp<linear_dim_0>]}
  return
}
