// The index dialect is of index alone, its conversions between index and integers.
// test verify
func.func @f(%a: index, %b: i32) {
  // expected-error@+1 {{operand 'rhs' must be index, found i32}}
  %0 = index.add %a, %b
  // expected-error@+1 {{operand 'rhs' must be index, found i32}}
  %1 = index.sub %a, %b
  // expected-error@+1 {{operand 'rhs' must be index, found i32}}
  %2 = index.mul %a, %b
  // expected-error@+1 {{operand 'rhs' must be index, found i32}}
  %3 = index.divs %a, %b
  // expected-error@+1 {{operand 'rhs' must be index, found i32}}
  %4 = index.divu %a, %b
  // expected-error@+1 {{operand 'rhs' must be index, found i32}}
  %5 = index.ceildivs %a, %b
  // expected-error@+1 {{operand 'rhs' must be index, found i32}}
  %6 = index.ceildivu %a, %b
  // expected-error@+1 {{operand 'rhs' must be index, found i32}}
  %7 = index.floordivs %a, %b
  // expected-error@+1 {{operand 'rhs' must be index, found i32}}
  %8 = index.rems %a, %b
  // expected-error@+1 {{operand 'rhs' must be index, found i32}}
  %9 = index.remu %a, %b
  // expected-error@+1 {{operand 'rhs' must be index, found i32}}
  %10 = index.maxs %a, %b
  // expected-error@+1 {{operand 'rhs' must be index, found i32}}
  %11 = index.maxu %a, %b
  // expected-error@+1 {{operand 'rhs' must be index, found i32}}
  %12 = index.mins %a, %b
  // expected-error@+1 {{operand 'rhs' must be index, found i32}}
  %13 = index.minu %a, %b
  // expected-error@+1 {{operand 'rhs' must be index, found i32}}
  %14 = index.shl %a, %b
  // expected-error@+1 {{operand 'rhs' must be index, found i32}}
  %15 = index.shrs %a, %b
  // expected-error@+1 {{operand 'rhs' must be index, found i32}}
  %16 = index.shru %a, %b
  // expected-error@+1 {{operand 'rhs' must be index, found i32}}
  %17 = index.and %a, %b
  // expected-error@+1 {{operand 'rhs' must be index, found i32}}
  %18 = index.or %a, %b
  // expected-error@+1 {{operand 'rhs' must be index, found i32}}
  %19 = index.xor %a, %b
  // expected-error@+1 {{operand 'lhs' must be index, found i32}}
  %20 = index.cmp slt(%b, %a)
  // expected-error@+1 {{converts between index and an integer, found index to index}}
  %21 = index.casts %a : index to index
  // expected-error@+1 {{converts between index and an integer, found i32 to i64}}
  %22 = index.castu %b : i32 to i64
  // expected-error@+1 {{result 'result' must be index, found i32}}
  %23 = "index.sizeof"() : () -> i32
  // expected-error@+1 {{is a constant of index, found i32}}
  %24 = "index.constant"() <{value = 1 : i32}> : () -> i32
  // expected-error@+1 {{is a constant of i1, found index}}
  %25 = "index.bool.constant"() <{value = 1 : index}> : () -> index
  return
}
// -----
func.func @f() {
  // expected-error@+1 {{expected a constant of i1, found 7 : index}}
  %0 = index.bool.constant 7 : index
  return
}
