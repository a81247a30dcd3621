// A product whose lhs alone is anchored, with the exact fragment of m16n8k16: the anchor must not cost the matrix unit.
// test roundtrip
// test run
// 32/16 * 32/8 * 32/16 = 16 instructions of the one subgroup; no multiply-add beside them.
// expect sm_90: mma 16, fma 0, spills 0
// lanewise.args a = integers(-3, 3, 32, 32), b = integers(-3, 3, 32, 32), c = empty(32, 32); grid = 1
#A = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [2, 2], outer_tile = [2, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
gpu.func @f(%A: memref<32x32xf16>, %B: memref<32x32xf16>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<32x32xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %b = vector.transfer_read %B[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %al = iree_vector_ext.to_layout %a to layout(#A) : vector<32x32xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %al, %b, %z : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
  vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
