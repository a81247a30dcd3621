// What no v_dot instruction multiplies.
// test verify
func.func @wrong(%a: vector<2xf16>, %b: vector<2xbf16>, %c: f32, %i: vector<4xi8>, %j: i32, %f: vector<4xf16>, %n: vector<8xi4>) {
  %0 = amdgpu.dot %a * %b + %c : vector<2xf16>, vector<2xbf16>, f32 // expected-error {{no instruction multiplies vector<2xf16> and vector<2xbf16> and adds f32}}
  %1 = amdgpu.dot %a * %a + %j : vector<2xf16>, vector<2xf16>, i32 // expected-error {{no instruction multiplies vector<2xf16> and vector<2xf16> and adds i32}}
  %2 = amdgpu.dot %i * %n + %j : vector<4xi8>, vector<8xi4>, i32 // expected-error {{no instruction multiplies vector<4xi8> and vector<8xi4> and adds i32}}
  %3 = amdgpu.dot %a * %a + %c clamp : vector<2xf16>, vector<2xf16>, f32 // expected-error {{has clamp, which is of integers, found vector<2xf16>}}
  return
}
