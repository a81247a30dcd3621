// Tensors of open extents are multiplied where they lie (document iree_gpu, second example of multi_mma): each lane adds to
// its own slice of C what loops over the tiles give, 3 x 2 by 2 x 5 of them.
// test roundtrip
// test run target=gfx942
#accesses = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
#trait = {indexing_maps = #accesses, iterator_types = ["parallel", "parallel", "reduction"], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>}
// lanewise.args a = integers(-3, 3, 64, 3, 2, 4), b = integers(-3, 3, 64, 2, 5, 4), c = integers(-3, 3, 64, 3, 5, 4); grid = 1
// expect gfx942: mma 1, shared bytes 0, barriers 0
func.func @lanes(%a: memref<64x?x?x4xf16>, %b: memref<64x?x?x4xf16>, %c: memref<64x?x?x4xf32>) attributes {
    lanewise.scope = "thread", translation_info = #iree_codegen.translation_info<
      pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>} {
  %t = gpu.thread_id x
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = memref.dim %a, %c1 : memref<64x?x?x4xf16>
  %k = memref.dim %a, %c2 : memref<64x?x?x4xf16>
  %n = memref.dim %b, %c2 : memref<64x?x?x4xf16>
  %ta = bufferization.to_tensor %a restrict : memref<64x?x?x4xf16> to tensor<64x?x?x4xf16>
  %tb = bufferization.to_tensor %b restrict : memref<64x?x?x4xf16> to tensor<64x?x?x4xf16>
  %tc = bufferization.to_tensor %c restrict writable : memref<64x?x?x4xf32> to tensor<64x?x?x4xf32>
  %4 = tensor.extract_slice %ta[%t, 0, 0, 0] [1, %m, %k, 4] [1, 1, 1, 1] : tensor<64x?x?x4xf16> to tensor<?x?x4xf16>
  %5 = tensor.extract_slice %tb[%t, 0, 0, 0] [1, %k, %n, 4] [1, 1, 1, 1] : tensor<64x?x?x4xf16> to tensor<?x?x4xf16>
  %6 = tensor.extract_slice %tc[%t, 0, 0, 0] [1, %m, %n, 4] [1, 1, 1, 1] : tensor<64x?x?x4xf32> to tensor<?x?x4xf32>
  %7 = iree_gpu.multi_mma %4, %5, %6 #trait : tensor<?x?x4xf16>, tensor<?x?x4xf16> into tensor<?x?x4xf32>
  %sv = memref.subview %c[%t, 0, 0, 0] [1, %m, %n, 4] [1, 1, 1, 1]
    : memref<64x?x?x4xf32> to memref<?x?x4xf32, strided<[?, 4, 1], offset: ?>>
  bufferization.materialize_in_destination %7 in restrict writable %sv
    : (tensor<?x?x4xf32>, memref<?x?x4xf32, strided<[?, 4, 1], offset: ?>>) -> ()
  return
}
// -----
// The document's own loops for it, which carry the tensor from one iteration to the next.
// lanewise.args a = integers(-3, 3, 64, 3, 2, 4), b = integers(-3, 3, 64, 2, 5, 4), c = integers(-3, 3, 64, 3, 5, 4); grid = 1
func.func @loops(%a: memref<64x?x?x4xf16>, %b: memref<64x?x?x4xf16>, %c: memref<64x?x?x4xf32>) attributes {
    lanewise.scope = "thread", translation_info = #iree_codegen.translation_info<
      pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>} {
  %t = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %ph = arith.constant 0.0 : f16
  %pf = arith.constant 0.0 : f32
  %m = memref.dim %a, %c1 : memref<64x?x?x4xf16>
  %kk = memref.dim %a, %c2 : memref<64x?x?x4xf16>
  %n = memref.dim %b, %c2 : memref<64x?x?x4xf16>
  %ta = bufferization.to_tensor %a restrict : memref<64x?x?x4xf16> to tensor<64x?x?x4xf16>
  %tb = bufferization.to_tensor %b restrict : memref<64x?x?x4xf16> to tensor<64x?x?x4xf16>
  %tc = bufferization.to_tensor %c restrict writable : memref<64x?x?x4xf32> to tensor<64x?x?x4xf32>
  %4 = tensor.extract_slice %ta[%t, 0, 0, 0] [1, %m, %kk, 4] [1, 1, 1, 1] : tensor<64x?x?x4xf16> to tensor<?x?x4xf16>
  %5 = tensor.extract_slice %tb[%t, 0, 0, 0] [1, %kk, %n, 4] [1, 1, 1, 1] : tensor<64x?x?x4xf16> to tensor<?x?x4xf16>
  %6 = tensor.extract_slice %tc[%t, 0, 0, 0] [1, %m, %n, 4] [1, 1, 1, 1] : tensor<64x?x?x4xf32> to tensor<?x?x4xf32>
  %outer_m = tensor.dim %6, %c0 : tensor<?x?x4xf32>
  %outer_n = tensor.dim %6, %c1 : tensor<?x?x4xf32>
  %outer_k = tensor.dim %4, %c1 : tensor<?x?x4xf16>
  %none = tensor.empty() : tensor<4xf32>
  %7 = scf.for %i = %c0 to %outer_m step %c1 iter_args(%arg0 = %6) -> (tensor<?x?x4xf32>) {
    %8 = scf.for %j = %c0 to %outer_n step %c1 iter_args(%arg1 = %arg0) -> (tensor<?x?x4xf32>) {
      %9 = scf.for %k = %c0 to %outer_k step %c1 iter_args(%arg2 = %arg1) -> (tensor<?x?x4xf32>) {
        %lhs = tensor.extract_slice %4[%i, %k, 0] [1, 1, 4] [1, 1, 1] : tensor<?x?x4xf16> to tensor<4xf16>
        %rhs = tensor.extract_slice %5[%k, %j, 0] [1, 1, 4] [1, 1, 1] : tensor<?x?x4xf16> to tensor<4xf16>
        %acc = tensor.extract_slice %arg2[%i, %j, 0] [1, 1, 4] [1, 1, 1] : tensor<?x?x4xf32> to tensor<4xf32>
        %lv = vector.transfer_read %lhs[%c0], %ph {in_bounds = [true]} : tensor<4xf16>, vector<4xf16>
        %rv = vector.transfer_read %rhs[%c0], %ph {in_bounds = [true]} : tensor<4xf16>, vector<4xf16>
        %av = vector.transfer_read %acc[%c0], %pf {in_bounds = [true]} : tensor<4xf32>, vector<4xf32>
        %rv2 = amdgpu.mfma 16x16x16 %lv * %rv + %av blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
        %res = vector.transfer_write %rv2, %none[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<4xf32>
        %ret = tensor.insert_slice %res into %arg2[%i, %j, 0] [1, 1, 4] [1, 1, 1] : tensor<4xf32> into tensor<?x?x4xf32>
        scf.yield %ret : tensor<?x?x4xf32>
      }
      scf.yield %9 : tensor<?x?x4xf32>
    }
    scf.yield %8 : tensor<?x?x4xf32>
  }
  %sv = memref.subview %c[%t, 0, 0, 0] [1, %m, %n, 4] [1, 1, 1, 1]
    : memref<64x?x?x4xf32> to memref<?x?x4xf32, strided<[?, 4, 1], offset: ?>>
  bufferization.materialize_in_destination %7 in restrict writable %sv
    : (tensor<?x?x4xf32>, memref<?x?x4xf32, strided<[?, 4, 1], offset: ?>>) -> ()
  return
}
// -----
// Whole tiles, which a workgroup has; only the sum's extent is open, so that C stays a vector. All are ones: 16 * 3 + 2.
// prints ( 50, 50 )
// lanewise.args a = ones(2, 3, 16, 16), b = ones(3, 16, 16), c = empty(2, 16, 16); grid = 1
#whole = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>]
gpu.func @tiles(%a: memref<2x?x16x16xf16>, %b: memref<?x16x16xf16>, %c: memref<2x16x16xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %ta = bufferization.to_tensor %a restrict : memref<2x?x16x16xf16> to tensor<2x?x16x16xf16>
  %tb = bufferization.to_tensor %b restrict : memref<?x16x16xf16> to tensor<?x16x16xf16>
  %twos = arith.constant dense<2.0> : tensor<2x16x16xf32>
  %d = iree_gpu.multi_mma %ta, %tb, %twos {indexing_maps = #whole, iterator_types = ["parallel", "reduction"], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, rhs_permutation = [1, 0]}
    : tensor<2x?x16x16xf16>, tensor<?x16x16xf16> into tensor<2x16x16xf32>
  bufferization.materialize_in_destination %d in writable %c : (tensor<2x16x16xf32>, memref<2x16x16xf32>) -> ()
  %v = vector.transfer_read %d[%c0, %c0, %c0], %p {in_bounds = [true]} : tensor<2x16x16xf32>, vector<2xf32>
  vector.print %v : vector<2xf32>
  gpu.return
}
