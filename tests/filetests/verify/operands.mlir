// One wrong use of each operation that has no other: a kind of value, a number of them, or a place that is not there.
// test verify
func.func @f(%i: i32, %f: f32, %x: index, %m: memref<4x?xf32>, %v: vector<4xf32>, %w: vector<2x4xf32>, %b: i1, %s: memref<4xf32>) {
  // expected-error@+1 {{'gpu.block_id' op result 'result' must be index, found i32}}
  "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> i32
  // expected-error@+1 {{'gpu.block_dim' op result 'result' must be index, found i32}}
  "gpu.block_dim"() <{dimension = #gpu<dim x>}> : () -> i32
  // expected-error@+1 {{'gpu.grid_dim' op result 'result' must be index, found i32}}
  "gpu.grid_dim"() <{dimension = #gpu<dim x>}> : () -> i32
  // expected-error@+1 {{'gpu.global_id' op result 'result' must be index, found i32}}
  "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> i32
  // expected-error@+1 {{'gpu.cluster_id' op result 'result' must be index, found i32}}
  "gpu.cluster_id"() <{dimension = #gpu<dim x>}> : () -> i32
  // expected-error@+1 {{'gpu.cluster_dim' op result 'result' must be index, found i32}}
  "gpu.cluster_dim"() <{dimension = #gpu<dim x>}> : () -> i32
  // expected-error@+1 {{'gpu.cluster_dim_blocks' op result 'result' must be index, found i32}}
  "gpu.cluster_dim_blocks"() <{dimension = #gpu<dim x>}> : () -> i32
  // expected-error@+1 {{'gpu.cluster_block_id' op result 'result' must be index, found i32}}
  "gpu.cluster_block_id"() <{dimension = #gpu<dim x>}> : () -> i32
  // expected-error@+1 {{'gpu.num_subgroups' op result 'result' must be index, found i32}}
  "gpu.num_subgroups"() : () -> i32
  // expected-error@+1 {{'gpu.subgroup_size' op result 'result' must be index, found i32}}
  "gpu.subgroup_size"() : () -> i32
  // expected-error@+2 {{'gpu.shuffle' op operand 'value' must be an integer or float, or a 1-D vector of these, found memref<4xf32>}}
  // expected-error@+1 {{'gpu.shuffle' op result 'shuffle_result' must be an integer or float, or a 1-D vector of these, found memref<4xf32>}}
  "gpu.shuffle"(%s, %i, %i) <{mode = #gpu<shuffle_mode xor>}> : (memref<4xf32>, i32, i32) -> (memref<4xf32>, i1)
  // expected-error@+1 {{'affine.apply' op has 1 operands, the map takes 2 dims, 0 symbols}}
  "affine.apply"(%x) <{map = affine_map<(d0, d1) -> (d0)>}> : (index) -> index
  // expected-error@+1 {{'affine.min' op has 1 operands, the map takes 2 dims, 0 symbols}}
  "affine.min"(%x) <{map = affine_map<(d0, d1) -> (d0)>}> : (index) -> index
  // expected-error@+1 {{'affine.max' op has 1 operands, the map takes 2 dims, 0 symbols}}
  "affine.max"(%x) <{map = affine_map<(d0, d1) -> (d0)>}> : (index) -> index
  // expected-error@+1 {{'affine.load' op has a map of 1 results for a memref of rank 2}}
  "affine.load"(%m, %x) <{map = affine_map<(d0) -> (d0)>}> : (memref<4x?xf32>, index) -> f32
  // expected-error@+1 {{'affine.vector_load' op has a map of 1 results for a memref of rank 2}}
  "affine.vector_load"(%m, %x) <{map = affine_map<(d0) -> (d0)>}> : (memref<4x?xf32>, index) -> vector<4xf32>
  // expected-error@+1 {{'affine.vector_store' op has a map of 1 results for a memref of rank 2}}
  "affine.vector_store"(%v, %m, %x) <{map = affine_map<(d0) -> (d0)>}> : (vector<4xf32>, memref<4x?xf32>, index) -> ()
  // expected-error@+1 {{'affine.delinearize_index' op operand 'linear_index' must be index, found f32}}
  "affine.delinearize_index"(%f) <{static_basis = array<i64: 4, 4>}> : (f32) -> (index, index)
  // expected-error@+1 {{'affine.linearize_index' op operand 'multi_index' must be index, found f32}}
  "affine.linearize_index"(%f, %x) <{static_basis = array<i64: 4, 4>, operandSegmentSizes = array<i32: 2, 0>}> : (f32, index) -> index
  // expected-error@+1 {{'memref.alloc' op has 1 sizes, memref<4xf32> leaves 0 open}}
  "memref.alloc"(%x) <{operandSegmentSizes = array<i32: 1, 0>}> : (index) -> memref<4xf32>
  // expected-error@+1 {{'memref.assume_alignment' op alignment must be a power of two, found 3}}
  "memref.assume_alignment"(%s) <{alignment = 3 : i32}> : (memref<4xf32>) -> memref<4xf32>
  // expected-error@+1 {{'memref.atomic_rmw' op value has type i32, the memref's elements are f32}}
  "memref.atomic_rmw"(%i, %s, %x) <{kind = 0 : i64}> : (i32, memref<4xf32>, index) -> i32
  // expected-error@+1 {{'memref.cast' op memref<4xf32> cannot be seen as memref<5xf32>: what both state must agree}}
  "memref.cast"(%s) : (memref<4xf32>) -> memref<5xf32>
  // expected-error@+1 {{'memref.dealloc' op operand 'memref' must be a memref, found i32}}
  "memref.dealloc"(%i) : (i32) -> ()
  // expected-error@+1 {{'memref.dim' op operand 'index' must be index, found i32}}
  "memref.dim"(%s, %i) : (memref<4xf32>, i32) -> index
  // expected-error@+1 {{'memref.rank' op operand 'memref' must be a memref, found i32}}
  "memref.rank"(%i) : (i32) -> index
  // expected-error@+1 {{'memref.subview' op has 2 offsets for a source of rank 1}}
  "memref.subview"(%s) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 2>, static_strides = array<i64: 1>}> : (memref<4xf32>) -> memref<2xf32, strided<[1]>>
  // expected-error@+1 {{'vector.constant_mask' op size 5 of dimension 0 is not within 0 to 4}}
  "vector.constant_mask"() <{mask_dim_sizes = array<i64: 5>}> : () -> vector<4xi1>
  // expected-error@+1 {{'vector.create_mask' op vector<4xi1> needs 1 bounds, found 2}}
  "vector.create_mask"(%x, %x) : (index, index) -> vector<4xi1>
  // expected-error@+1 {{'vector.extract' op position 4 is outside dimension 0 of vector<4xf32>, which is 0 to 3}}
  "vector.extract"(%v) <{static_position = array<i64: 4>}> : (vector<4xf32>) -> f32
  // expected-error@+1 {{'vector.extract_strided_slice' op elements 3 to 4 are not in dimension 0 of vector<4xf32>, which is 0 to 3}}
  "vector.extract_strided_slice"(%v) <{offsets = [3], sizes = [2], strides = [1]}> : (vector<4xf32>) -> vector<2xf32>
  // expected-error@+4 {{'vector.fma' op operand 'lhs' must be a vector of floats, found i32}}
  // expected-error@+3 {{'vector.fma' op operand 'rhs' must be a vector of floats, found i32}}
  // expected-error@+2 {{'vector.fma' op operand 'acc' must be a vector of floats, found i32}}
  // expected-error@+1 {{'vector.fma' op result 'result' must be a vector of floats, found i32}}
  "vector.fma"(%i, %i, %i) : (i32, i32, i32) -> i32
  // expected-error@+1 {{'vector.from_elements' op vector<4xf32> has 4 elements, 1 are given}}
  "vector.from_elements"(%f) : (f32) -> vector<4xf32>
  // expected-error@+1 {{'vector.insert' op position 4 is outside dimension 0 of vector<4xf32>, which is 0 to 3}}
  "vector.insert"(%f, %v) <{static_position = array<i64: 4>}> : (f32, vector<4xf32>) -> vector<4xf32>
  // expected-error@+1 {{'vector.insert_strided_slice' op elements 1 to 4 are not in dimension 1 of vector<2x4xf32>, which is 0 to 3}}
  "vector.insert_strided_slice"(%v, %w) <{offsets = [0, 1], strides = [1]}> : (vector<4xf32>, vector<2x4xf32>) -> vector<2x4xf32>
  // expected-error@+1 {{'vector.maskedstore' op operand 'mask' must be a vector of i1, found vector<4xf32>}}
  "vector.maskedstore"(%s, %x, %v, %v) : (memref<4xf32>, index, vector<4xf32>, vector<4xf32>) -> ()
  // expected-error@+1 {{'vector.print' op operand 'source' must be a scalar or a vector, found memref<4xf32>}}
  "vector.print"(%s) <{punctuation = #vector.punctuation<newline>}> : (memref<4xf32>) -> ()
  // expected-error@+1 {{'vector.shape_cast' op vector<4xf32> has 4 elements, vector<5xf32> has 5}}
  "vector.shape_cast"(%v) : (vector<4xf32>) -> vector<5xf32>
  // expected-error@+1 {{'vector.shuffle' op mask index 0 is 8, vector<4xf32> and vector<4xf32> have rows 0 to 7}}
  "vector.shuffle"(%v, %v) <{mask = array<i64: 8>}> : (vector<4xf32>, vector<4xf32>) -> vector<1xf32>
  // expected-error@+1 {{'vector.step' op result 'result' must be a 1-D vector of index or integers of at least 8 bits, found vector<4xf32>}}
  "vector.step"() : () -> vector<4xf32>
  // expected-error@+1 {{'vector.to_elements' op vector<4xf32> gives 4 results of f32, found 2 results}}
  "vector.to_elements"(%v) : (vector<4xf32>) -> (f32, f32)
  // expected-error@+1 {{'vector.transpose' op [0, 0] is not a permutation of the 2 dims of vector<2x4xf32>}}
  "vector.transpose"(%w) <{permutation = array<i64: 0, 0>}> : (vector<2x4xf32>) -> vector<2x2xf32>
  // expected-error@+1 {{'cf.assert' op operand 'arg' must be i1, found i32}}
  "cf.assert"(%i) <{msg = "no"}> : (i32) -> ()
  // expected-error@+1 {{'ub.poison' op attribute 'value' must be Poison, found 1 : i32}}
  "ub.poison"() <{value = 1 : i32}> : () -> f32
  // expected-error@+3 {{'scf.for' op operand 'lower_bound' must be index or a signless integer, found f32}}
  // expected-error@+2 {{'scf.for' op operand 'upper_bound' must be index or a signless integer, found f32}}
  // expected-error@+1 {{'scf.for' op operand 'step' must be index or a signless integer, found f32}}
  "scf.for"(%f, %f, %f) ({ ^bb0(%q: f32): scf.yield }) : (f32, f32, f32) -> ()
  // expected-error@+1 {{'scf.index_switch' op operand 'arg' must be index, found i32}}
  "scf.index_switch"(%i) <{cases = array<i64>}> ({ scf.yield }) : (i32) -> ()
  // expected-error@+1 {{'scf.while' op first region must end in scf.condition}}
  "scf.while"() ({ scf.yield }, { scf.yield }) : () -> ()
  // expected-error@+1 {{'scf.yield' op yields (), 'scf.execute_region' has results (i32)}}
  "scf.execute_region"() ({ scf.yield }) : () -> i32
  // expected-error@+2 {{'nvgpu.ldmatrix' op reads workgroup memory (#gpu.address_space<workgroup>), found memref<4xf32>}}
  // expected-error@+1 {{'nvgpu.ldmatrix' op numTiles must be 1, 2 or 4, found 3}}
  "nvgpu.ldmatrix"(%s, %x) <{numTiles = 3 : i32, transpose = false}> : (memref<4xf32>, index) -> vector<3x1xf32>
  // expected-error@+4 {{'nvgpu.mma.sync' op operand 'matrixA' must be a 2-D vector, found vector<4xf32>}}
  // expected-error@+3 {{'nvgpu.mma.sync' op operand 'matrixB' must be a 2-D vector, found vector<4xf32>}}
  // expected-error@+2 {{'nvgpu.mma.sync' op operand 'matrixC' must be a 2-D vector, found vector<4xf32>}}
  // expected-error@+1 {{'nvgpu.mma.sync' op result 'res' must be a 2-D vector, found vector<4xf32>}}
  "nvgpu.mma.sync"(%v, %v, %v) <{mmaShape = [16, 8, 5]}> : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  return
}
// -----
func.func @g(%i: i32, %f: f32, %x: index, %m: memref<4xf32>, %v: vector<4xf32>, %t: tensor<4xf32>) {
  // expected-error@+1 {{'affine.if' op has 1 operands, the set takes 2}}
  "affine.if"(%x) <{condition = affine_set<(d0, d1) : (d0 >= 0)>}> ({ affine.yield }, {}) : (index) -> ()
  // expected-error@+1 {{'hal.interface.workgroup.count' op result 'result' must be index, found i32}}
  "hal.interface.workgroup.count"() <{dimension = 0 : index}> : () -> i32
  // expected-error@+1 {{'hal.interface.workgroup.size' op result 'result' must be index, found i32}}
  "hal.interface.workgroup.size"() <{dimension = 0 : index}> : () -> i32
  // expected-error@+2 {{'iree_codegen.index_hint' op operand 'index' must be index, found f32}}
  // expected-error@+1 {{'iree_codegen.index_hint' op result 'result' must be index, found f32}}
  "iree_codegen.index_hint"(%f) <{hint = 1 : index}> : (f32) -> f32
  // expected-error@+1 {{'iree_codegen.load_from_buffer' op memref<4xf32> does not hold a tensor<5xf32>}}
  "iree_codegen.load_from_buffer"(%m) : (memref<4xf32>) -> tensor<5xf32>
  // expected-error@+1 {{'iree_codegen.store_to_buffer' op operand 'buffer' must be a memref, found i32}}
  "iree_codegen.store_to_buffer"(%t, %i) : (tensor<4xf32>, i32) -> ()
  // expected-error@+2 {{'iree_linalg_ext.yield' op must be the last operation of its block}}
  // expected-error@+1 {{'iree_linalg_ext.yield' op must be inside iree_linalg_ext.map_store}}
  "iree_linalg_ext.yield"() : () -> ()
  // expected-error@+1 {{'iree_vector_ext.to_simt' op element types differ: vector<4xf32> -> vector<4xf16>}}
  "iree_vector_ext.to_simt"(%v) : (vector<4xf32>) -> vector<4xf16>
  // expected-error@+2 {{'scf.condition' op must be the last operation of its block}}
  // expected-error@+1 {{'scf.condition' op operand 'condition' must be i1, found i32}}
  "scf.condition"(%i) : (i32) -> ()
  // expected-error@+2 {{'scf.forall.in_parallel' op must be the last operation of its block}}
  // expected-error@+1 {{'scf.forall.in_parallel' op must end the body of scf.forall}}
  "scf.forall.in_parallel"() ({}) : () -> ()
  // expected-error@+2 {{'scf.reduce.return' op must be the last operation of its block}}
  // expected-error@+1 {{'scf.reduce.return' op must end a region of scf.reduce}}
  "scf.reduce.return"(%f) : (f32) -> ()
  // expected-error@+1 {{'tensor.dim' op operand 'index' must be index, found i32}}
  "tensor.dim"(%t, %i) : (tensor<4xf32>, i32) -> index
  // expected-error@+1 {{'vector.insert_slices' op operand 'vectors' must be a tuple of vectors, found vector<4xf32>}}
  "vector.insert_slices"(%v) <{sizes = [4], strides = [1]}> : (vector<4xf32>) -> vector<4xf32>
  // expected-error@+1 {{'cf.cond_br' op operand 'condition' must be i1, found i32}}
  "cf.cond_br"(%i) [^a, ^a] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()
^a:
  return
}
// -----
gpu.module @m {
}
gpu.module @m { // expected-error {{redefinition of '@m'}}
}
