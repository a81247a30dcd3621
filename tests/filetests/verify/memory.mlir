// vector operations on memory: every message, in upstream's words where it has any.
// test verify
func.func @gather(%m: memref<4x8xf32>, %z: memref<f32>, %i: index, %v: vector<4xi32>, %w: vector<3xi32>, %k: vector<4xi1>,
    %j: vector<3xi1>, %p: vector<4xf32>, %d: vector<4xf64>, %f: vector<4xf32>) {
  %0 = vector.gather %m[%i, %i][%v], %k, %d : memref<4x8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf64> into vector<4xf64> // expected-error {{base and result element type should match, found memref<4x8xf32> and vector<4xf64>}}
  %1 = vector.gather %m[%i][%v], %k, %p : memref<4x8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32> // expected-error {{requires 2 indices for memref<4x8xf32>, found 1}}
  %2 = vector.gather %m[%i, %i][%w], %k, %p : memref<4x8xf32>, vector<3xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32> // expected-error {{expected result dim to match indices dim, found vector<4xf32> and vector<3xi32>}}
  %3 = vector.gather %m[%i, %i][%v], %j, %p : memref<4x8xf32>, vector<4xi32>, vector<3xi1>, vector<4xf32> into vector<4xf32> // expected-error {{expected result dim to match mask dim, found vector<4xf32> and vector<3xi1>}}
  %4 = vector.gather %m[%i, %i][%v], %k, %d : memref<4x8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf64> into vector<4xf32> // expected-error {{expected pass_thru of same type as result type, found vector<4xf64> and vector<4xf32>}}
  %5 = vector.gather %z[][%v], %k, %p : memref<f32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32> // expected-error {{base memref<f32> has no dim that the index vector could count along}}
  %6 = vector.gather %m[%i, %i][%v], %k, %p alignment = 12 : memref<4x8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32> // expected-error {{alignment must be a power of two in bytes, found 12}}
  %7 = vector.gather %m[%i, %i][%f], %k, %p : memref<4x8xf32>, vector<4xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32> // expected-error {{operand 'index_vec' must be a vector of integers or index, found vector<4xf32>}}
  return
}

func.func @scatter(%m: memref<4x8xf32>, %z: memref<f32>, %i: index, %v: vector<4xi32>, %w: vector<3xi32>, %k: vector<4xi1>,
    %j: vector<3xi1>, %p: vector<4xf32>, %d: vector<4xf64>) {
  vector.scatter %m[%i, %i][%v], %k, %d : memref<4x8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf64> // expected-error {{base and valueToStore element type should match, found memref<4x8xf32> and vector<4xf64>}}
  vector.scatter %m[%i][%v], %k, %p : memref<4x8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> // expected-error {{requires 2 indices for memref<4x8xf32>, found 1}}
  vector.scatter %m[%i, %i][%w], %k, %p : memref<4x8xf32>, vector<3xi32>, vector<4xi1>, vector<4xf32> // expected-error {{expected valueToStore dim to match indices dim, found vector<4xf32> and vector<3xi32>}}
  vector.scatter %m[%i, %i][%v], %j, %p : memref<4x8xf32>, vector<4xi32>, vector<3xi1>, vector<4xf32> // expected-error {{expected valueToStore dim to match mask dim, found vector<4xf32> and vector<3xi1>}}
  return
}

func.func @compressed(%m: memref<4x8xf32>, %z: memref<f32>, %i: index, %k: vector<4xi1>, %j: vector<3xi1>, %p: vector<4xf32>,
    %d: vector<4xf64>, %q: vector<2x2xf32>, %l: vector<2x2xi1>) {
  %0 = vector.expandload %m[%i, %i], %k, %d : memref<4x8xf32>, vector<4xi1>, vector<4xf64> into vector<4xf64> // expected-error {{base and result element type should match, found memref<4x8xf32> and vector<4xf64>}}
  %1 = vector.expandload %m[%i], %k, %p : memref<4x8xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32> // expected-error {{requires 2 indices for memref<4x8xf32>, found 1}}
  %2 = vector.expandload %m[%i, %i], %j, %p : memref<4x8xf32>, vector<3xi1>, vector<4xf32> into vector<4xf32> // expected-error {{expected result dim to match mask dim, found vector<4xf32> and vector<3xi1>}}
  %3 = vector.expandload %m[%i, %i], %k, %d : memref<4x8xf32>, vector<4xi1>, vector<4xf64> into vector<4xf32> // expected-error {{expected pass_thru of same type as result type, found vector<4xf64> and vector<4xf32>}}
  %4 = vector.expandload %z[], %k, %p : memref<f32>, vector<4xi1>, vector<4xf32> into vector<4xf32> // expected-error {{base memref<f32> has no dim along which elements could be neighbours}}
  vector.compressstore %m[%i, %i], %k, %d : memref<4x8xf32>, vector<4xi1>, vector<4xf64> // expected-error {{base and valueToStore element type should match}}
  vector.compressstore %m[%i, %i], %l, %q : memref<4x8xf32>, vector<2x2xi1>, vector<2x2xf32> // expected-error {{moves vectors of one dim, found vector<2x2xf32>}}
  vector.compressstore %m[%i, %i], %j, %p : memref<4x8xf32>, vector<3xi1>, vector<4xf32> // expected-error {{expected valueToStore dim to match mask dim, found vector<4xf32> and vector<3xi1>}}
  return
}
