// What conversions of packed floats do not take.
// test verify
// test roundtrip
func.func @right(%x: f32, %s: i32, %w: vector<4xf8E5M2>) {
  %0 = amdgpu.packed_stoch_round_fp8 %x + %s into %w[2] : f32 to vector<4xf8E5M2> into vector<4xf8E5M2>
  %1 = amdgpu.packed_stoch_round_fp8 %x + %s into undef[3] : f32 to vector<4xf8E4M3FN>
  return
}

// -----

func.func @wrong(%x: f32, %h: f16, %s: i32, %w: vector<4xf8E5M2>, %three: vector<3xf8E5M2>, %v: vector<4xi8>, %p: vector<2xf32>,
    %n: vector<8xf4E2M1FN>, %z: vector<4xf8E5M2FNUZ>) {
  %0 = amdgpu.ext_packed_fp8 %three[3] : vector<3xf8E5M2> to f32 // expected-error {{takes element 3 of vector<3xf8E5M2>, which has 3}}
  %1 = amdgpu.ext_packed_fp8 %three[1] : vector<3xf8E5M2> to vector<2xf32> // expected-error {{takes pair 1 of vector<3xf8E5M2>, which has 1}}
  %2 = amdgpu.ext_packed_fp8 %v[1] : vector<4xi8> to f32 // expected-error {{or up to four of them, found vector<4xi8>}}
  %3 = amdgpu.packed_trunc_2xfp8 %x, undef into %w[word 0] : f32 to vector<4xf8E4M3FN> into vector<4xf8E5M2> // expected-error {{existing values must have the type of the result, vector<4xf8E4M3FN>, found vector<4xf8E5M2>}}
  %4 = amdgpu.packed_trunc_2xfp8 %x, %x into %w[word 2] : f32 to vector<4xf8E5M2> into vector<4xf8E5M2> // expected-error {{takes pair 2 of vector<4xf8E5M2>, which has 2}}
  %5 = amdgpu.packed_stoch_round_fp8 %x + %s into %w[0] : f32 to vector<4xf8E4M3FN> into vector<4xf8E5M2> // expected-error {{existing values must have the type of the result}}
  %6 = amdgpu.scaled_ext_packed %n[4], %x : vector<8xf4E2M1FN> to vector<2xf16> // expected-error {{takes pair 4 of vector<8xf4E2M1FN>, which has 4}}
  %7 = amdgpu.scaled_ext_packed %z[0], %x : vector<4xf8E5M2FNUZ> to vector<2xf16> // expected-error {{or up to eight of f4E2M1FN, found vector<4xf8E5M2FNUZ>}}
  %8 = amdgpu.packed_scaled_trunc %p into undef[2], %x : vector<2xf32> to vector<4xf8E4M3FN> // expected-error {{takes pair 2 of vector<4xf8E4M3FN>, which has 2}}
  return
}
