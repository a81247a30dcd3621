// What the rules of iree_gpu's operations, and of inner_tiled, say of wrong programs; right ones print as they are read.
// test roundtrip
// test verify
func.func @f(%a: vector<2x3x4xf16>, %b: vector<3x5x4xf16>, %c: vector<2x5x4xf32>) {
  %d = iree_gpu.multi_mma %a, %b, %c {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>} : vector<2x3x4xf16>, vector<3x5x4xf16> into vector<2x5x4xf32>
  return
}
// -----
func.func @f(%a: vector<2x3x16x16xf16>, %b: vector<3x5x16x16xf16>, %c: vector<2x5x16x16xf32>) {
  %d = iree_gpu.multi_mma %a, %b, %c {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, rhs_permutation = [1, 0]} : vector<2x3x16x16xf16>, vector<3x5x16x16xf16> into vector<2x5x16x16xf32>
  return
}
// -----
func.func @f(%a: vector<2x3x8xf16>, %b: vector<3x5x8xf16>, %c: vector<2x5x4xf32>) {
  %d = iree_gpu.multi_mma %a, %b, %c {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #iree_gpu.virtual_mma_layout<VMFMA_F32_16x16x32_F16>} : vector<2x3x8xf16>, vector<3x5x8xf16> into vector<2x5x4xf32>
  return
}
// -----
func.func @f(%a: vector<2x3x4xf16>, %b: vector<3x5x4xf16>, %c: vector<2x5x4xf32>) {
  // expected-error@+1 {{indexing_maps must be three affine maps (lhs, rhs, acc)}}
  %d = iree_gpu.multi_mma %a, %b, %c {indexing_maps = [affine_map<(i, j, k) -> (i, k)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>} : vector<2x3x4xf16>, vector<3x5x4xf16> into vector<2x5x4xf32>
  return
}
// -----
func.func @f(%a: vector<2x3x4xf16>, %b: vector<3x5x4xf16>, %c: vector<2x5x4xf32>) {
  // expected-error@+1 {{iterator_types must be 'parallel' or 'reduction'}}
  %d = iree_gpu.multi_mma %a, %b, %c {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "window"], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>} : vector<2x3x4xf16>, vector<3x5x4xf16> into vector<2x5x4xf32>
  return
}
// -----
func.func @f(%a: vector<2x3x4xf16>, %b: vector<3x5x4xf16>, %c: vector<2x5x4xf32>) {
  // expected-error@+1 {{map of lhs must have 3 dims and no symbols}}
  %d = iree_gpu.multi_mma %a, %b, %c {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>} : vector<2x3x4xf16>, vector<3x5x4xf16> into vector<2x5x4xf32>
  return
}
// -----
func.func @f(%a: vector<2x3x4xf16>, %b: vector<3x5x4xf16>, %c: vector<2x5x4xf32>) {
  // expected-error@+1 {{map of rhs must be distinct iterators}}
  %d = iree_gpu.multi_mma %a, %b, %c {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>} : vector<2x3x4xf16>, vector<3x5x4xf16> into vector<2x5x4xf32>
  return
}
// -----
func.func @f(%a: vector<2x3x4xf16>, %b: vector<3x5x4xf16>, %c: vector<4x4xf32>) {
  // expected-error@+1 {{map of acc has 3 results, vector<4x4xf32> has rank 2}}
  %d = iree_gpu.multi_mma %a, %b, %c {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>} : vector<2x3x4xf16>, vector<3x5x4xf16> into vector<4x4xf32>
  return
}
// -----
func.func @f(%a: vector<2x3x4xf16>, %b: vector<5x4xf16>, %c: vector<2x5x4xf32>) {
  // expected-error@+1 {{reduction iterator d2 must be in the maps of lhs and rhs alone}}
  %d = iree_gpu.multi_mma %a, %b, %c {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>} : vector<2x3x4xf16>, vector<5x4xf16> into vector<2x5x4xf32>
  return
}
// -----
func.func @f(%a: vector<2x3x4xf16>, %b: vector<3x5x4xf16>, %c: vector<2x5x4xf32>) {
  // expected-error@+1 {{parallel iterator d2 must be in the maps of acc and of lhs or rhs}}
  %d = iree_gpu.multi_mma %a, %b, %c {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "parallel"], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>} : vector<2x3x4xf16>, vector<3x5x4xf16> into vector<2x5x4xf32>
  return
}
// -----
func.func @f(%a: vector<2x3x4xf16>, %b: vector<3x5x4xf16>, %c: vector<2x5x4xf32>) {
  // expected-error@+1 {{kind must be #iree_gpu.mma_layout<...>, found "MFMA"}}
  %d = iree_gpu.multi_mma %a, %b, %c {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = "MFMA"} : vector<2x3x4xf16>, vector<3x5x4xf16> into vector<2x5x4xf32>
  return
}
// -----
func.func @f(%a: vector<2x3x4xf16>, %b: vector<2x5x4xf16>, %c: vector<2x5x4xf32>) {
  // expected-error@+1 {{iterator d2 runs to 3 and, in rhs, to 2}}
  %d = iree_gpu.multi_mma %a, %b, %c {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>} : vector<2x3x4xf16>, vector<2x5x4xf16> into vector<2x5x4xf32>
  return
}
// -----
func.func @f(%a: vector<2x3x4xbf16>, %b: vector<3x5x4xf16>, %c: vector<2x5x4xf32>) {
  // expected-error@+1 {{lhs has elements bf16, MFMA_F32_16x16x16_F16 has f16}}
  %d = iree_gpu.multi_mma %a, %b, %c {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>} : vector<2x3x4xbf16>, vector<3x5x4xf16> into vector<2x5x4xf32>
  return
}
// -----
func.func @f(%a: vector<2x3x4xf16>, %b: vector<3x5x4xf16>, %c: vector<2x5x4xf16>) {
  // expected-error@+1 {{acc has elements f16, MFMA_F32_16x16x16_F16 has f32}}
  %d = iree_gpu.multi_mma %a, %b, %c {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>} : vector<2x3x4xf16>, vector<3x5x4xf16> into vector<2x5x4xf16>
  return
}
// -----
func.func @f(%a: vector<2x3x4xf16>, %b: vector<3x5x8xf16>, %c: vector<2x5x4xf32>) {
  // expected-error@+1 {{rhs has inner dimensions [8] of 8 elements, a lane of MFMA_F32_16x16x16_F16 has 4}}
  %d = iree_gpu.multi_mma %a, %b, %c {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>} : vector<2x3x4xf16>, vector<3x5x8xf16> into vector<2x5x4xf32>
  return
}
// -----
func.func @f(%a: vector<2x3x8xf16>, %b: vector<3x5x16x16xf16>, %c: vector<2x5x16x16xf32>) {
  // expected-error@+1 {{lhs has inner dimensions [8] of 8 elements, the tile of MFMA_F32_16x16x16_F16 has 256}}
  %d = iree_gpu.multi_mma %a, %b, %c {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>} : vector<2x3x8xf16>, vector<3x5x16x16xf16> into vector<2x5x16x16xf32>
  return
}
// -----
func.func @f(%a: vector<2x3x16x16xf16>, %b: vector<3x5x16x16xf16>, %c: vector<2x5x16x16xf32>) {
  // expected-error@+1 {{permutation of rhs must order 2 inner dimensions, found [1, 2]}}
  %d = iree_gpu.multi_mma %a, %b, %c {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, rhs_permutation = [1, 2]} : vector<2x3x16x16xf16>, vector<3x5x16x16xf16> into vector<2x5x16x16xf32>
  return
}
// -----
func.func @f(%a: vector<2x3x1x4xf16>, %b: vector<3x5x4xf16>, %c: vector<2x5x4xf32>) {
  // expected-error@+1 {{permutes lhs, whose inner dimensions are a lane's: only whole tiles are permuted}}
  %d = iree_gpu.multi_mma %a, %b, %c {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, lhs_permutation = [1, 0]} : vector<2x3x1x4xf16>, vector<3x5x4xf16> into vector<2x5x4xf32>
  return
}
// -----
func.func @f(%a: vector<2x3x16x32xf16>, %b: vector<3x5x32x16xf16>, %c: vector<2x5x16x16xf32>) {
  // expected-error@+1 {{lhs has inner dimensions [16, 32], permuted they are [32, 16]}}
  %d = iree_gpu.multi_mma %a, %b, %c {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x32_F16>, lhs_permutation = [1, 0]} : vector<2x3x16x32xf16>, vector<3x5x32x16xf16> into vector<2x5x16x16xf32>
  return
}
// -----
func.func @f(%a: vector<2x3x16x32xf16>, %b: vector<3x5x16x32xf16>, %c: vector<2x5x16x16xf32>) {
  // expected-error@+1 {{rhs has inner dimensions [16, 32], permuted they are [32, 16]}}
  %d = iree_gpu.multi_mma %a, %b, %c {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x32_F16>} : vector<2x3x16x32xf16>, vector<3x5x16x32xf16> into vector<2x5x16x16xf32>
  return
}
// -----
func.func @f(%a: vector<2x3x4xf16>, %b: vector<3x5x4xf16>, %c: vector<2x5x4xf32>) {
  %d = iree_codegen.inner_tiled ins(%a, %b) outs(%c) <indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = false>> : vector<2x3x4xf16>, vector<3x5x4xf16> into vector<2x5x4xf32>
  return
}
// -----
func.func @f(%a: vector<2x3x16x16xf16>, %b: vector<3x5x16x16xf16>, %c: vector<2x5x16x16xf32>) {
  %d = iree_codegen.inner_tiled ins(%a, %b) outs(%c) <indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = false, opaque = false>, permutations = [array<i64: 0, 1>, array<i64: 1, 0>, array<i64: 0, 1>]> : vector<2x3x16x16xf16>, vector<3x5x16x16xf16> into vector<2x5x16x16xf32>
  return
}
// -----
func.func @f(%a: vector<2x3x4xf16>, %b: vector<3x5x4xf16>, %c: vector<2x5x4xf32>) {
  // expected-error@+1 {{takes lhs, rhs and acc, found 1 and 1 operands}}
  %d = iree_codegen.inner_tiled ins(%a) outs(%c) <indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = false>> : vector<2x3x4xf16> into vector<2x5x4xf32>
  return
}
// -----
func.func @f(%a: vector<2x3x16x16xf16>, %b: vector<3x5x16x16xf16>, %c: vector<2x5x4xf32>) {
  // expected-error@+1 {{acc has inner dimensions [4] of 4 elements, the tile of MFMA_F32_16x16x16_F16 has 256}}
  %d = iree_codegen.inner_tiled ins(%a, %b) outs(%c) <indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = false, opaque = false>> : vector<2x3x16x16xf16>, vector<3x5x16x16xf16> into vector<2x5x4xf32>
  return
}
// -----
func.func @f(%v: vector<4xf32>, %t: tensor<4xf32>) {
  %0:2 = iree_gpu.value_barrier %v, %v : vector<4xf32>, vector<4xf32>
  %1 = iree_gpu.value_barrier %t : tensor<4xf32>
  %2:2 = iree_gpu.barrier_region ins(%v, %t : vector<4xf32>, tensor<4xf32>) {
  ^bb0(%x: vector<4xf32>, %y: tensor<4xf32>):
    iree_gpu.yield %x, %y : vector<4xf32>, tensor<4xf32>
  } : vector<4xf32>, tensor<4xf32>
  return
}
// -----
func.func @f(%v: vector<4xf32>, %t: tensor<4xf32>) {
  // expected-error@+1 {{takes vectors or tensors, found (vector<4xf32>, tensor<4xf32>)}}
  %0:2 = iree_gpu.value_barrier %v, %t : vector<4xf32>, tensor<4xf32>
  return
}
// -----
func.func @f(%v: vector<4xf32>, %t: tensor<4xf32>) {
  // expected-error@+1 {{gives (vector<4xf32>) as it takes them, found (vector<2xf32>)}}
  %0 = "iree_gpu.value_barrier"(%v) : (vector<4xf32>) -> vector<2xf32>
  return
}
// -----
func.func @f(%v: vector<4xf32>, %t: tensor<4xf32>) {
  // expected-error@+1 {{takes (vector<4xf32>), its region (tensor<4xf32>)}}
  %0 = iree_gpu.barrier_region ins(%v : vector<4xf32>) {
  ^bb0(%x: tensor<4xf32>):
    iree_gpu.yield %x : tensor<4xf32>
  } : tensor<4xf32>
  return
}
// -----
func.func @f(%v: vector<4xf32>, %t: tensor<4xf32>) {
  // expected-error@+1 {{region yields (vector<4xf32>), the results are (tensor<4xf32>)}}
  %0 = iree_gpu.barrier_region ins(%v : vector<4xf32>) {
  ^bb0(%x: vector<4xf32>):
    iree_gpu.yield %x : vector<4xf32>
  } : tensor<4xf32>
  return
}
// -----
func.func @f(%v: vector<4xf32>, %t: tensor<4xf32>) {
  // expected-error@+1 {{region must end in iree_gpu.yield}}
  %0 = iree_gpu.barrier_region ins(%v : vector<4xf32>) {
  ^bb0(%x: vector<4xf32>):
    // expected-error@+1 {{must end a region of another operation of scf}}
    "scf.yield"(%x) : (vector<4xf32>) -> ()
  } : vector<4xf32>
  return
}
