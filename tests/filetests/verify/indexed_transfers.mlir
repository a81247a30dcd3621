// test verify
#base = affine_map<(d0, d1)[s0] -> (s0, d1)>
#rows = affine_map<(d0, d1)[s0] -> (d0)>
func.func @offsets(%m: memref<8x16xf32>, %i: vector<4xindex>, %p: f32) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{needs 2 offsets for memref<8x16xf32>, found 1}}
  %0 = iree_vector_ext.transfer_gather %m[%c0] [%i : vector<4xindex>], %p <indexing_maps = [#base, #rows]> : memref<8x16xf32>, vector<4x16xf32>
  return
}

// -----

#base = affine_map<(d0, d1)[s0] -> (s0, d1)>
#rows = affine_map<(d0, d1)[s0] -> (d0)>
func.func @elements(%m: memref<8x16xf32>, %i: vector<4xindex>, %p: f16) {
  %c0 = arith.constant 0 : index
  // expected-error@+2 {{padding must be f32, found f16}}
  // expected-error@+1 {{element types differ: memref<8x16xf32> and vector<4x16xf16>}}
  %0 = iree_vector_ext.transfer_gather %m[%c0, %c0] [%i : vector<4xindex>], %p <indexing_maps = [#base, #rows]> : memref<8x16xf32>, vector<4x16xf16>
  return
}

// -----

#base = affine_map<(d0, d1)[s0] -> (s0, d1)>
func.func @count(%m: memref<8x16xf32>, %i: vector<4xindex>, %p: f32) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{needs 2 affine maps in indexing_maps, one for the memref, one for each index vector, and one for the mask, found}}
  %0 = iree_vector_ext.transfer_gather %m[%c0, %c0] [%i : vector<4xindex>], %p <indexing_maps = [#base]> : memref<8x16xf32>, vector<4x16xf32>
  return
}

// -----

#base = affine_map<(d0, d1)[s0] -> (s0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
func.func @symbols(%m: memref<8x16xf32>, %i: vector<4xindex>, %p: f32) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{map (d0, d1) -> (d0) must have 2 dims, as the vector, and 1 symbols, as index vectors}}
  %0 = iree_vector_ext.transfer_gather %m[%c0, %c0] [%i : vector<4xindex>], %p <indexing_maps = [#base, #rows]> : memref<8x16xf32>, vector<4x16xf32>
  return
}

// -----

#base = affine_map<(d0, d1)[s0] -> (s0)>
#rows = affine_map<(d0, d1)[s0] -> (d0)>
func.func @results(%m: memref<8x16xf32>, %i: vector<4xindex>, %p: f32) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{map (d0, d1)[s0] -> (s0) has 1 results, memref<8x16xf32> has 2 dims}}
  %0 = iree_vector_ext.transfer_gather %m[%c0, %c0] [%i : vector<4xindex>], %p <indexing_maps = [#base, #rows]> : memref<8x16xf32>, vector<4x16xf32>
  return
}

// -----

#base = affine_map<(d0, d1)[s0] -> (s0, d1 * 2)>
#rows = affine_map<(d0, d1)[s0] -> (d0)>
func.func @expressions(%m: memref<8x16xf32>, %i: vector<4xindex>, %p: f32) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{must have dims, symbols and 0 as results, found d1 * 2}}
  %0 = iree_vector_ext.transfer_gather %m[%c0, %c0] [%i : vector<4xindex>], %p <indexing_maps = [#base, #rows]> : memref<8x16xf32>, vector<4x8xf32>
  return
}

// -----

#base = affine_map<(d0, d1)[s0] -> (s0, d1)>
#rows = affine_map<(d0, d1)[s0] -> (s0)>
func.func @names(%m: memref<8x16xf32>, %i: vector<4xindex>, %p: f32) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{map (d0, d1)[s0] -> (s0) must name dims of the vector, each once}}
  %0 = iree_vector_ext.transfer_gather %m[%c0, %c0] [%i : vector<4xindex>], %p <indexing_maps = [#base, #rows]> : memref<8x16xf32>, vector<4x16xf32>
  return
}

// -----

#base = affine_map<(d0, d1)[s0] -> (s0, d1)>
#rows = affine_map<(d0, d1)[s0] -> (d0)>
func.func @shapes(%m: memref<8x16xf32>, %i: vector<8xindex>, %p: f32) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{index vector 0 must be vector<4xindex>, found vector<8xindex>}}
  %0 = iree_vector_ext.transfer_gather %m[%c0, %c0] [%i : vector<8xindex>], %p <indexing_maps = [#base, #rows]> : memref<8x16xf32>, vector<4x16xf32>
  return
}

// -----

#base = affine_map<(d0, d1)[s0] -> (s0, d1)>
#rows = affine_map<(d0, d1)[s0] -> (d0)>
func.func @mask(%m: memref<8x16xf32>, %i: vector<4xindex>, %p: f32, %k: vector<16xi1>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{mask must be vector<4xi1>, found vector<16xi1>}}
  %0 = iree_vector_ext.transfer_gather %m[%c0, %c0] [%i : vector<4xindex>], %p, %k <indexing_maps = [#base, #rows, #rows]> : memref<8x16xf32>, vector<4x16xf32>, vector<16xi1>
  return
}

// -----

#base = affine_map<(d0, d1)[s0] -> (s0, 0)>
#rows = affine_map<(d0, d1)[s0] -> (d0)>
func.func @one_place(%m: memref<8x16xf32>, %i: vector<4xindex>, %v: vector<4x16xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{no index depends on d1: several elements would go to one place}}
  iree_vector_ext.transfer_scatter %v into %m[%c0, %c0] [%i : vector<4xindex>] <indexing_maps = [#base, #rows]> : vector<4x16xf32>, memref<8x16xf32>
  return
}

// -----

#base = affine_map<(d0, d1)[s0] -> (s0, d1)>
#rows = affine_map<(d0, d1)[s0] -> (d0)>
func.func @types(%m: memref<8x16xf32>, %i: vector<4xindex>, %v: vector<4x16xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{operand '%m' has type memref<8x16xf32>, but memref<8x8xf32> is written here}}
  iree_vector_ext.transfer_scatter %v into %m[%c0, %c0] [%i : vector<4xindex>] <indexing_maps = [#base, #rows]> : vector<4x16xf32>, memref<8x8xf32>
  return
}
