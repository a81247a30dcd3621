// What a thread holds is counted by the layouts: these give all of a vector to each of 64 threads, where each would have 128 elements
// if they shared it out.
// test compile target=gfx942 emit=thread
#a = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [1, 1], element_tile = [32, 64], subgroup_strides = [0, 0], thread_strides = [0, 0]>
#b = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [1, 1], element_tile = [128, 64], subgroup_strides = [0, 0], thread_strides = [0, 0]>
func.func @k(%A: memref<32x64xf16>, %B: memref<128x64xf16>, %C: memref<128x32xf32>) attributes {
    translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute>
      workgroup_size = [64, 1, 1] subgroup_size = 64>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %acc = arith.constant dense<0.0> : vector<128x32xf32>
  %x = vector.transfer_read %A[%c0, %c0], %z {in_bounds = [true, true]} : memref<32x64xf16>, vector<32x64xf16>
  // expected-error@+1 {{gives a thread 8192 elements of a vector<128x64xf16>, the limit is 2048}}
  %y = vector.transfer_read %B[%c0, %c0], %z {in_bounds = [true, true]} : memref<128x64xf16>, vector<128x64xf16>
  %xl = iree_vector_ext.to_layout %x to layout(#a) : vector<32x64xf16>
  %yl = iree_vector_ext.to_layout %y to layout(#b) : vector<128x64xf16>
  %r = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>,
    affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %xl, %yl, %acc : vector<32x64xf16>, vector<128x64xf16> into vector<128x32xf32>
  vector.transfer_write %r, %C[%c0, %c0] {in_bounds = [true, true]} : vector<128x32xf32>, memref<128x32xf32>
  return
}
