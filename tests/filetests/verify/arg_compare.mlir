// test verify
func.func @wrong_dimension(%x: vector<4x8xf32>, %v: vector<4xf32>, %i: vector<4xi32>) {
  // expected-error@+1 {{dimension 2 is no dim of vector<4x8xf32>}}
  %0, %1 = iree_vector_ext.arg_compare dimension(2) ins(%x : vector<4x8xf32>) inits(%v, %i : vector<4xf32>, vector<4xi32>) {
  ^bb0(%a: f32, %b: f32):
    %w = arith.cmpf ogt, %a, %b : f32
    iree_vector_ext.yield %w : i1
  } -> vector<4xf32>, vector<4xi32>
  return
}

// -----

func.func @wrong_shapes(%x: vector<4x8xf32>, %v: vector<8xf32>, %i: vector<8xi32>) {
  // expected-error@+4 {{initial value must be vector<4xf32>, found vector<8xf32>}}
  // expected-error@+3 {{initial index must be vector<4xi32>, found vector<8xi32>}}
  // expected-error@+2 {{first result must be vector<4xf32>, found vector<4xf16>}}
  // expected-error@+1 {{second result must be vector<4xi32>, found vector<4xi64>}}
  %0, %1 = iree_vector_ext.arg_compare dimension(1) ins(%x : vector<4x8xf32>) inits(%v, %i : vector<8xf32>, vector<8xi32>) {
  ^bb0(%a: f32, %b: f32):
    %w = arith.cmpf ogt, %a, %b : f32
    iree_vector_ext.yield %w : i1
  } -> vector<4xf16>, vector<4xi64>
  return
}

// -----

func.func @wrong_indices(%x: vector<4x8xf32>, %v: vector<4xf32>, %i: vector<4xf32>) {
  // expected-error@+1 {{indices must be integers, found f32}}
  %0, %1 = iree_vector_ext.arg_compare dimension(1) ins(%x : vector<4x8xf32>) inits(%v, %i : vector<4xf32>, vector<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %w = arith.cmpf ogt, %a, %b : f32
    iree_vector_ext.yield %w : i1
  } -> vector<4xf32>, vector<4xf32>
  return
}

// -----

func.func @wrong_input_index(%x: vector<4x8xf32>, %n: vector<4x4xi32>, %v: vector<4xf32>, %i: vector<4xi32>, %base: index) {
  // expected-error@+2 {{input index must be vector<4x8xi32>, found vector<4x4xi32>}}
  // expected-error@+1 {{has an index_base, which counts positions, and an input index, which says them}}
  %0, %1 = iree_vector_ext.arg_compare dimension(1) ins(%x, %n : vector<4x8xf32>, vector<4x4xi32>) inits(%v, %i : vector<4xf32>, vector<4xi32>) index_base(%base : index) {
  ^bb0(%a: f32, %b: f32):
    %w = arith.cmpf ogt, %a, %b : f32
    iree_vector_ext.yield %w : i1
  } -> vector<4xf32>, vector<4xi32>
  return
}

// -----

func.func @wrong_comparator(%x: vector<4xf32>, %m: memref<4xf32>, %v: vector<f32>, %i: vector<i32>) {
  // expected-error@+1 {{comparator must take two elements (f32, f32), takes (f32, f16)}}
  %0, %1 = iree_vector_ext.arg_compare dimension(0) ins(%x : vector<4xf32>) inits(%v, %i : vector<f32>, vector<i32>) {
  ^bb0(%a: f32, %b: f16):
    %c = arith.constant 0 : index
    // expected-error@+1 {{'memref.load' op stands in a comparator, which computes one i1 of two elements, scalar by scalar}}
    %d = memref.load %m[%c] : memref<4xf32>
    %w = arith.cmpf ogt, %a, %d : f32
    iree_vector_ext.yield %w : i1
  } -> vector<f32>, vector<i32>
  return
}

// -----

func.func @wrong_end(%x: vector<4xf32>, %v: vector<f32>, %i: vector<i32>) {
  // expected-error@+1 {{comparator must end in iree_vector_ext.yield}}
  %0, %1 = iree_vector_ext.arg_compare dimension(0) ins(%x : vector<4xf32>) inits(%v, %i : vector<f32>, vector<i32>) {
  ^bb0(%a: f32, %b: f32):
    %w = arith.cmpf ogt, %a, %b : f32
  } -> vector<f32>, vector<i32>
  return
}

// -----

func.func @wrong_yield(%x: vector<4xf32>, %v: vector<f32>, %i: vector<i32>) {
  %0, %1 = iree_vector_ext.arg_compare dimension(0) ins(%x : vector<4xf32>) inits(%v, %i : vector<f32>, vector<i32>) {
  ^bb0(%a: f32, %b: f32):
    // expected-error@+1 {{must yield one i1, found (f32)}}
    iree_vector_ext.yield %a : f32
  } -> vector<f32>, vector<i32>
  return
}

// -----

func.func @stray_yield(%x: f32) {
  // expected-error@+1 {{must end the comparator of an iree_vector_ext.arg_compare}}
  iree_vector_ext.yield %x : f32
}

// -----

func.func @wrong_counts(%x: vector<4xf32>, %v: vector<f32>, %i: vector<i32>) {
  // expected-error@+1 {{expected ':', found ','}}
  %0, %1 = iree_vector_ext.arg_compare dimension(0) ins(%x, %x, %x : vector<4xf32>, vector<4xf32>, vector<4xf32>) inits(%v, %i : vector<f32>, vector<i32>) {
  } -> vector<f32>, vector<i32>
  return
}
// -----
func.func @f(%v: vector<4x8xf32>, %i: vector<4xf32>, %j: vector<4xi32>, %m: vector<4x8xi1>) {
  // expected-error@+1 {{'iree_vector_ext.arg_compare' cannot be masked}}
  %r:2 = vector.mask %m { iree_vector_ext.arg_compare dimension(1) ins(%v : vector<4x8xf32>) inits(%i, %j : vector<4xf32>, vector<4xi32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.cmpf ogt, %a, %b : f32
      iree_vector_ext.yield %c : i1
  } -> vector<4xf32>, vector<4xi32> } : vector<4x8xi1> -> (vector<4xf32>, vector<4xi32>)
  return
}
