// Text that is no program.
// test verify
func.func @f() {
  %0 = arith.constant 1.0 : i32 // expected-error {{1.0 is not a value of i32}}
  return
}
// -----
func.func @f() {
  return %nothing : i32 // expected-error {{%nothing}}
}
// -----
func.func @f(%a: memref<4xf99>) { // expected-error {{f99}}
  return
}
// -----
func.func @f() {
  "no.such_operation"() : () -> () // expected-error {{unknown operation 'no.such_operation'}}
  return
}
