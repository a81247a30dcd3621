// Types that disagree.
// test verify
func.func @f(%a: f32, %b: f64) -> f32 {
  %0 = arith.addf %a, %b : f32 // expected-error {{'lhs' and 'rhs' must have the same type, found f32 and f64}}
  return %0 : f32
}
// -----
func.func @f(%a: vector<4xf32>) -> vector<4xf32> {
  %0 = arith.addi %a, %a : vector<4xf32>
  // expected-error@-1 {{operand 'lhs' must be an integer}}
  // expected-error@-2 {{operand 'rhs' must be an integer}}
  // expected-error@-3 {{result 'result' must be an integer}}
  return %0 : vector<4xf32>
}
// -----
func.func @f(%a: f32) -> f64 {
  return %a : f32 // expected-error {{returns f32}}
}
// -----
func.func @f(%a: memref<4xf32>, %b: memref<4xf32>, %c: i1) {
  %0 = math.sin %a : memref<4xf32>
  // expected-error@-1 {{operand 'operand' must be a float or a vector of floats, found memref<4xf32>}}
  // expected-error@-2 {{result 'result' must be a float}}
  %1 = arith.select %c, %a, %b : memref<4xf32>
  // expected-error@-1 {{operand 'true_value' must be a scalar or a vector, found memref<4xf32>}}
  // expected-error@-2 {{operand 'false_value' must be a scalar or a vector, found memref<4xf32>}}
  // expected-error@-3 {{result 'result' must be a scalar}}
  return
}
