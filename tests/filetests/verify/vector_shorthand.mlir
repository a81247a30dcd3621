// What older texts have, and what is short for others: every message.
// test verify
func.func @elements(%v: vector<4xf32>, %w: vector<2x2xf32>, %z: vector<f32>, %i: index, %s: f64) {
  %0 = vector.extractelement %w[%i : index] : vector<2x2xf32> // expected-error {{takes vectors of one dim or none, found vector<2x2xf32>}}
  %1 = vector.extractelement %v[] : vector<4xf32> // expected-error {{vector<4xf32> needs a position}}
  %2 = vector.extractelement %z[%i : index] : vector<f32> // expected-error {{vector<f32> has one element, which needs no position}}
  %3 = "vector.extractelement"(%v, %i) : (vector<4xf32>, index) -> f64 // expected-error {{result must be f32, found f64}}
  %4 = vector.insertelement %s, %v[%i : index] : vector<4xf32> // expected-error {{source must be f32, found f64}}
  return
}

func.func @tuples(%v: vector<4x3xf32>, %w: vector<2xf32>, %t: tuple<vector<2xf32>, vector<3xf32>>) {
  %0 = vector.tuple_get %t, 2 : tuple<vector<2xf32>, vector<3xf32>> // expected-error {{index 2 is outside tuple<vector<2xf32>, vector<3xf32>>, which has 2 vectors}}
  %1 = "vector.tuple_get"(%t) {index = 1 : i64} : (tuple<vector<2xf32>, vector<3xf32>>) -> vector<2xf32> // expected-error {{result must be vector<3xf32>, found vector<2xf32>}}
  %2 = "vector.tuple"(%w) : (vector<2xf32>) -> tuple<vector<3xf32>> // expected-error {{result must be tuple<vector<2xf32>>, found tuple<vector<3xf32>>}}
  %3 = vector.extract_slices %v, [2], [1, 1] : vector<4x3xf32> into tuple<vector<2x3xf32>> // expected-error {{has 1 sizes and 2 strides for the 2 dims of vector<4x3xf32>}}
  %4 = vector.extract_slices %v, [2, 3], [1, 2] : vector<4x3xf32> into tuple<vector<2x3xf32>, vector<2x3xf32>> // expected-error {{stride 2 of dimension 1: slices are of stride 1}}
  %5 = vector.extract_slices %v, [2, 0], [1, 1] : vector<4x3xf32> into tuple<vector<2x3xf32>> // expected-error {{size 0 of dimension 1: slices have 1 or more elements}}
  %6 = vector.extract_slices %v, [2, 3], [1, 1] : vector<4x3xf32> into tuple<vector<2x3xf32>> // expected-error {{slices of vector<4x3xf32> by [2, 3] are tuple<vector<2x3xf32>, vector<2x3xf32>>, found tuple<vector<2x3xf32>>}}
  return
}

func.func @reshape(%v: vector<3x2x4xf32>, %a: index) {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %c9 = arith.constant 9 : index
  %0 = vector.reshape %v, [%c3, %c6], [%c2, %c9], [4] : vector<3x2x4xf32> to vector<2x3x4xf64> // expected-error {{element types differ: vector<3x2x4xf32> to vector<2x3x4xf64>}}
  %1 = vector.reshape %v, [%c3], [%c2, %c9], [4] : vector<3x2x4xf32> to vector<2x3x4xf32> // expected-error {{input vector<3x2x4xf32> has 3 dims, not those of 1 dims of data and tiles of 1 dims}}
  %2 = vector.reshape %v, [%c3, %c6], [%c2, %a], [3] : vector<3x2x4xf32> to vector<2x3x3xf32> // expected-error {{input vector<3x2x4xf32> does not end in the fixed sizes [3]}}
  %3 = vector.reshape %v, [%c3, %c6], [%c3, %c9], [4] : vector<3x2x4xf32> to vector<2x3x4xf32> // expected-error {{output data of [3, 9] in tiles of [4] are vector<3x3x4xf32>, found vector<2x3x4xf32>}}
  %4 = vector.reshape %v, [%c3, %c6], [%c2, %c6], [4] : vector<3x2x4xf32> to vector<2x2x4xf32> // expected-error {{data of [3, 6] and [2, 6] differ in number}}
  return
}

func.func @interleave(%v: vector<4xf32>, %w: vector<3xf32>, %z: vector<f32>) {
  %0 = vector.interleave %v, %v : vector<4xf32> -> vector<6xf32> // expected-error {{interleaves two vector<4xf32> into vector<8xf32>, the result is vector<6xf32>}}
  %1, %2 = vector.deinterleave %w : vector<3xf32> -> vector<1xf32> // expected-error {{takes vector<3xf32> apart into two of half its last dim, which is even; found vector<1xf32>}}
  %3 = vector.bitcast %v : vector<4xf32> to vector<2x2xf32> // expected-error {{ranks differ: vector<4xf32> to vector<2x2xf32>}}
  %4 = vector.bitcast %v : vector<4xf32> to vector<4xf16> // expected-error {{rows of vector<4xf32> have 128 bits, of vector<4xf16> 64}}
  return
}

func.func @bits(%v: vector<2x6xi4>, %w: vector<3xi8>) {
  %0 = vector.bitcast %v : vector<2x6xi4> to vector<1x3xi8> // expected-error {{only the last dim may differ: vector<2x6xi4> to vector<1x3xi8>}}
  %1 = vector.bitcast %w : vector<3xi8> to vector<4xi6> // expected-error {{elements of 8 bits are no whole number of elements of 6}}
  return
}

func.func @reductions(%v: vector<4xf32>, %w: vector<2x4xf32>, %s: f64, %i: vector<4xi32>) {
  %0 = vector.reduction <add>, %w : vector<2x4xf32> into f32 // expected-error {{reduces vectors of rank 0 or 1, found vector<2x4xf32>}}
  %1 = vector.reduction <add>, %v : vector<4xf32> into f64 // expected-error {{reducing vector<4xf32> gives f32, the result is f64}}
  %2 = vector.reduction <add>, %v, %s : vector<4xf32> into f32 // expected-error {{accumulator must be f32, found f64}}
  %3 = vector.reduction <xor>, %v : vector<4xf32> into f32 // expected-error {{kind <xor> does not apply to f32}}
  return
}

func.func @scans(%w: vector<2x4xf32>, %r: vector<2xf32>, %c: vector<4xf32>, %d: vector<2xf64>) {
  %0, %1 = vector.scan <add>, %w, %r {inclusive = true, reduction_dim = 2 : i64} : vector<2x4xf32>, vector<2xf32> // expected-error {{reduction_dim 2 is no dim of vector<2x4xf32>}}
  %i32:2 = vector.scan <add>, %w, %r {inclusive = true, reduction_dim = 1 : i32} : vector<2x4xf32>, vector<2xf32> // expected-error {{attribute 'reduction_dim' must be of type i64, found 1 : i32}}
  %2, %3 = vector.scan <add>, %w, %d {inclusive = true, reduction_dim = 1 : i64} : vector<2x4xf32>, vector<2xf64> // expected-error {{element types differ: vector<2x4xf32> and vector<2xf64>}}
  %4, %5 = vector.scan <add>, %w, %c {inclusive = true, reduction_dim = 1 : i64} : vector<2x4xf32>, vector<4xf32> // expected-error {{initial value must have the shape [2] of vector<2x4xf32> without dim 1}}
  %6, %7 = "vector.scan"(%w, %r) <{kind = #vector.kind<add>, inclusive = true, reduction_dim = 1 : i64}> : (vector<2x4xf32>, vector<2xf32>) -> (vector<2x4xf32>, vector<4xf32>) // expected-error {{results must be vector<2x4xf32> and vector<2xf32>, found vector<2x4xf32>, vector<4xf32>}}
  %8, %9 = vector.scan <and>, %w, %r {inclusive = true, reduction_dim = 1 : i64} : vector<2x4xf32>, vector<2xf32> // expected-error {{kind <and> does not apply to f32}}
  return
}

func.func @products(%a: vector<4xf32>, %b: vector<3xf32>, %w: vector<2x4xf32>, %d: vector<3xf64>, %acc: vector<4x4xf32>) {
  %0 = vector.outerproduct %w, %a : vector<2x4xf32>, vector<4xf32> // expected-error {{lhs must have one dim, found vector<2x4xf32>}}
  %1 = vector.outerproduct %a, %w : vector<4xf32>, vector<2x4xf32> // expected-error {{rhs must be a number or have one dim, found vector<2x4xf32>}}
  %2 = vector.outerproduct %a, %d : vector<4xf32>, vector<3xf64> // expected-error {{element types differ: vector<4xf32> and vector<3xf64>}}
  %3 = "vector.outerproduct"(%a, %b) : (vector<4xf32>, vector<3xf32>) -> vector<3x4xf32> // expected-error {{result must be vector<4x3xf32>, found vector<3x4xf32>}}
  %4 = vector.outerproduct %a, %b, %acc : vector<4xf32>, vector<3xf32> // expected-error {{accumulator must be vector<4x3xf32>, found vector<4x4xf32>}}
  %5 = vector.outerproduct %a, %b {kind = #vector.kind<maxnumf>} : vector<4xf32>, vector<3xf32> // expected-error {{kind <maxnumf> has no accumulator to join}}
  %6 = vector.matrix_multiply %a, %b {lhs_rows = 2 : i32, lhs_columns = 0 : i32, rhs_columns = 3 : i32} : (vector<4xf32>, vector<3xf32>) -> vector<6xf32> // expected-error {{matrices have rows and columns, found 2 x 0 and 0 x 3}}
  %7 = vector.matrix_multiply %a, %b {lhs_rows = 2 : i32, lhs_columns = 2 : i32, rhs_columns = 3 : i32} : (vector<4xf32>, vector<3xf32>) -> vector<6xf32> // expected-error {{rhs, 2 rows of 3 columns, must be vector<6xf32>, found vector<3xf32>}}
  return
}

func.func @masks(%m: vector<4xi1>, %v: vector<4xf32>, %w: vector<2xf32>, %n: memref<4xf32>, %i: index, %p: f32, %row: vector<2xi1>) {
  %0 = vector.mask %m { vector.yield %w : vector<2xf32> } : vector<4xi1> -> vector<4xf32> // expected-error {{the region yields vector<2xf32>, the results are vector<4xf32>}}
  %1 = vector.mask %m { // expected-error {{masks one operation, found 2}}
    %a = arith.addf %v, %v : vector<4xf32>
    %b = arith.addf %a, %v : vector<4xf32>
    vector.yield %b : vector<4xf32>
  } : vector<4xi1> -> vector<4xf32>
  %2 = vector.mask %m, %v { vector.yield %v : vector<4xf32> } : vector<4xi1> -> vector<4xf32> // expected-error {{has a passthru, and no operation that it could stand in for}}
  %3 = vector.mask %m { // expected-error {{the region must yield the results of 'arith.addf'}}
    %a = arith.addf %v, %v : vector<4xf32>
    vector.yield %v : vector<4xf32>
  } : vector<4xi1> -> vector<4xf32>
  %4 = vector.mask %m { vector.broadcast %p : f32 to vector<4xf32> } : vector<4xi1> -> vector<4xf32> // expected-error {{'vector.broadcast' cannot be masked}}
  // expected-error@+1 {{'vector.maskedload' cannot be masked}}
  %10 = vector.mask %m { vector.maskedload %n[%i], %m, %v : memref<4xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32> } : vector<4xi1> -> vector<4xf32>
  %5 = vector.mask %m { vector.transfer_read %n[%i], %p, %m : memref<4xf32>, vector<4xf32> } : vector<4xi1> -> vector<4xf32> // expected-error {{'vector.transfer_read' has a mask of its own}}
  %6 = vector.mask %row { arith.negf %v : vector<4xf32> } : vector<2xi1> -> vector<4xf32> // expected-error {{mask of 'arith.negf' must have the shape [4], found vector<2xi1>}}
  vector.mask %m, %v { vector.transfer_write %v, %n[%i] : vector<4xf32>, memref<4xf32> } : vector<4xi1> // expected-error {{has a passthru and no result that it could stand in for}}
  %7 = vector.mask %m, %w { arith.negf %v : vector<4xf32> } : vector<4xi1> -> vector<4xf32> // expected-error {{passthru must be vector<4xf32> as the result, found vector<2xf32>}}
  %i4 = arith.constant dense<0> : vector<4xindex>
  %9 = vector.mask %m, %v { vector.gather %n[%i][%i4], %m, %v : memref<4xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32> } : vector<4xi1> -> vector<4xf32> // expected-error {{takes no passthru: 'vector.gather' has its own}}
  %8 = vector.mask %m, %p { vector.reduction <add>, %v : vector<4xf32> into f32 } : vector<4xi1> -> f32 // expected-error {{a result f32 has no element for each of the mask vector<4xi1>}}
  return
}

func.func @a_lone_yield(%c: i1) {
  scf.if %c { // expected-error {{region must end in scf.yield}}
    vector.yield // expected-error {{must be inside vector.mask}}
  }
  return
}
// -----
func.func @numbers(%v: vector<4x8xf32>, %w: vector<4xf32>, %m: memref<4xf32>, %i: index) {
  // expected-error@+1 {{attribute 'reduction_dim' must be of type i64, found 1 : i32}}
  %0:2 = vector.scan <add>, %v, %w {reduction_dim = 1 : i32, inclusive = true} : vector<4x8xf32>, vector<4xf32>
  // expected-error@+1 {{attribute 'alignment' must be of type i64, found 16 : i32}}
  %1 = memref.load %m[%i] {alignment = 16 : i32} : memref<4xf32>
  return
}
