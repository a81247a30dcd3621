// What an instruction may do besides its product is refused by name, and none of it may be written.
// test verify
func.func @f(%a: vector<4xf16>, %c: vector<4xf32>) {
  %0 = amdgpu.mfma 16x16x16 %a * %a + %c : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %1 = amdgpu.mfma 16x16x16 %a * %a + %c {blocks = 1 : i32, cbsz = 0 : i32, abid = 0 : i32} blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %2 = amdgpu.mfma 16x16x16 %a * %a + %c {cbsz = 1 : i32} : vector<4xf16>, vector<4xf16>, vector<4xf32> // expected-error {{has cbsz = 1 : i32: cbsz other than 0 : i32 is not supported}}
  %3 = amdgpu.mfma 16x16x16 %a * %a + %c {abid = 2 : i32} : vector<4xf16>, vector<4xf16>, vector<4xf32> // expected-error {{abid other than}}
  %4 = amdgpu.mfma 16x16x16 %a * %a + %c blgp = bcast_first_32 : vector<4xf16>, vector<4xf16>, vector<4xf32> // expected-error {{blgp other than #rocdl.mfma_perm_b<none> is not supported}}
  %5 = amdgpu.mfma 16x16x16 %a * %a + %c {negateA} : vector<4xf16>, vector<4xf16>, vector<4xf32> // expected-error {{negateA is not supported}}
  %6 = amdgpu.mfma 16x16x16 %a * %a + %c {reducePrecision} : vector<4xf16>, vector<4xf16>, vector<4xf32> // expected-error {{reducePrecision is not supported}}
  %7 = amdgpu.mfma 16x16x16 %a * %a + %c {blocks = 4 : i32} : vector<4xf16>, vector<4xf16>, vector<4xf32> // expected-error {{has 4 blocks, vector<4xf16> of 64 lanes is 1}} // expected-error {{has 4 blocks, vector<4xf32> of 64 lanes is 1}}
  return
}

// -----
func.func @g(%a: vector<16xf16>, %c: vector<8xf16>) {
  %0 = amdgpu.wmma 16x16x16 %a * %a + %c {subwordOffset = 0 : i32} : vector<16xf16>, vector<16xf16>, vector<8xf16>
  %1 = amdgpu.wmma 16x16x16 %a * %a + %c {subwordOffset = 1 : i32} : vector<16xf16>, vector<16xf16>, vector<8xf16> // expected-error {{subwordOffset other than 0 : i32 is not supported}}
  %2 = amdgpu.wmma 16x16x16 %a * %a + %c {clamp} : vector<16xf16>, vector<16xf16>, vector<8xf16> // expected-error {{clamp is not supported}}
  return
}
