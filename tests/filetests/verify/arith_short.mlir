// Conversions that are short for others: every message.
// test verify
func.func @conversions(%h: f16, %b: vector<4xbf16>, %q: vector<4xf8E4M3FN>, %s: vector<2xf8E8M0FNU>, %r: vector<4xf8E8M0FNU>) {
  %0 = arith.convertf %b : vector<4xbf16> to vector<2xf16> // expected-error {{operand and result must have one shape, found vector<4xbf16> and vector<2xf16>}}
  %1 = arith.convertf %h : f16 to f32 // expected-error {{converts between two types of one width, found f16 to f32}}
  %2 = arith.convertf %h : f16 to f16 // expected-error {{converts between two types of one width, found f16 to f16}}
  %3 = arith.scaling_extf %q, %s : vector<4xf8E4M3FN>, vector<2xf8E8M0FNU> to vector<4xf32> // expected-error {{operands and result must have one shape, found vector<4xf8E4M3FN>, vector<2xf8E8M0FNU> and vector<4xf32>}}
  %4 = arith.scaling_extf %b, %r : vector<4xbf16>, vector<4xf8E8M0FNU> to vector<4xf16> // expected-error {{the result must be wider than the operand, found vector<4xbf16> to vector<4xf16>}}
  %5 = arith.scaling_truncf %b, %r : vector<4xbf16>, vector<4xf8E8M0FNU> to vector<4xf32> // expected-error {{the result must be narrower than the operand, found vector<4xbf16> to vector<4xf32>}}
  return
}
