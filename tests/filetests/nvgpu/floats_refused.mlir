// What NVIDIA's conversions do not take.
// test verify
func.func @wrong(%h: vector<4xf16>, %v: vector<4xf32>, %d: vector<4xf64>, %f: f32) {
  %0 = nvgpu.truncf %h : vector<4xf16> to vector<4xf32> // expected-error {{result type vector<4xf32> must be narrower than operand type vector<4xf16>}}
  %1 = nvgpu.extf %v : vector<4xf32> to vector<4xf16> // expected-error {{result type vector<4xf16> must be wider than operand type vector<4xf32>}}
  %2 = nvgpu.extf %h <rnd = rz> : vector<4xf16> to vector<4xf32> // expected-error {{rounds nothing: rnd must be rn, found rz}}
  %3 = nvgpu.truncf %v <rnd = rs> : vector<4xf32> to vector<4xf16> // expected-error {{rounds to f16 by rn, rz, found rs}}
  %7 = nvgpu.truncf %v <rnd = rz> : vector<4xf32> to vector<4xf8E4M3FN> // expected-error {{rounds to f8E4M3FN by rn, found rz}}
  %4 = nvgpu.rcp %v <approx = true> : vector<4xf32> // expected-error {{is an approximation without subnormal numbers: approx and ftz must be true}}
  %6 = nvgpu.rcp %v {rounding = approx} : vector<4xf32> // expected-error {{approx and ftz must be true}}
  return
}
