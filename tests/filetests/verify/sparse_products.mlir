// Products of a sparse A have half the elements of A, and one of the forms of indices.
// test verify
func.func @amd(%a: vector<4xf16>, %b: vector<8xf16>, %c: vector<4xf32>, %i: vector<4xi8>, %j: vector<2xi16>, %a2: vector<2xf16>, %b4: vector<4xf16>, %v: vector<8xi16>) {
  %0 = amdgpu.sparse_mfma 16x16x32 %a * %b + %c sparse(%j : vector<2xi16>) : vector<4xf16>, vector<8xf16>, vector<4xf32> // expected-error {{sparseIdx of 4 elements is vector<4xi8>, found vector<2xi16>}}
  %1 = amdgpu.sparse_mfma 16x16x32 %a * %b + %c sparse(%i : vector<4xi8>) {abid = 4 : i32} : vector<4xf16>, vector<8xf16>, vector<4xf32> // expected-error {{abid must be below 4, the sets in vector<4xi8>, found 4}}
  %2 = amdgpu.sparse_mfma 32x16x32 %a * %b + %c sparse(%i : vector<4xi8>) : vector<4xf16>, vector<8xf16>, vector<4xf32> // expected-error {{m and n must both be 16 or both 32, found 32x16x32}}
  %3 = amdgpu.sparse_mfma 16x16x32 %a * %a + %c sparse(%i : vector<4xi8>) : vector<4xf16>, vector<4xf16>, vector<4xf32> // expected-error {{sourceB must have 8 elements of a lane for 16x16x32, found vector<4xf16>}}
  %4 = amdgpu.sparse_mfma 16x16x16 %a2 * %b4 + %c sparse(%i : vector<4xi8>) : vector<2xf16>, vector<4xf16>, vector<4xf32> // expected-error {{sourceA must have 4, 8 or 16 elements of a lane, found 2}}
  %5 = amdgpu.sparse_mfma 16x16x32 %a * %b + %c sparse(%v : vector<8xi16>) : vector<4xf16>, vector<8xf16>, vector<4xf32> // expected-error {{operand 'sparseIdx' must be vector<4xi8> or vector<2xi16> or i32, found vector<8xi16>}}
  return
}

// -----
func.func @wave(%a: vector<8xf16>, %b: vector<16xf16>, %c: vector<8xf32>, %i: vector<4xi8>, %q: vector<8xi8>, %r: vector<16xi8>, %s: vector<8xi32>, %c4: vector<4xf32>, %j: i32) {
  %0 = amdgpu.sparse_wmma 16x16x16 %a * %b + %c sparse(%i : vector<4xi8>) : vector<8xf16>, vector<16xf16>, vector<8xf32> // expected-error {{must be 16x16x32 or 16x16x64, found 16x16x16}}
  %1 = amdgpu.sparse_wmma 16x16x32 %a * %a + %c sparse(%i : vector<4xi8>) : vector<8xf16>, vector<8xf16>, vector<8xf32> // expected-error {{sourceB must have 16 elements of a lane for 16x16x32, found vector<8xf16>}}
  %2 = amdgpu.sparse_wmma 16x16x32 %a * %b + %c4 sparse(%i : vector<4xi8>) : vector<8xf16>, vector<16xf16>, vector<4xf32> // expected-error {{destC must have 8 elements of a lane for 16x16x32, found vector<4xf32>}}
  %3 = amdgpu.sparse_wmma 16x16x32 %a * %b + %c sparse(%i : vector<4xi8>) unsignedA : vector<8xf16>, vector<16xf16>, vector<8xf32> // expected-error {{has unsignedA, which is of integers, found f16}}
  %4 = amdgpu.sparse_wmma 16x16x32 %q * %r + %s sparse(%i : vector<4xi8>) clamp : vector<8xi8>, vector<16xi8>, vector<8xi32> // expected-error {{has clamp = unit: clamp is not supported}}
  %5 = amdgpu.sparse_wmma 16x16x32 %a * %b + %c sparse(%i : vector<4xi8>) {reuseA} : vector<8xf16>, vector<16xf16>, vector<8xf32> // expected-error {{has reuseA = unit: reuseA is not supported}}
  %7 = amdgpu.sparse_wmma 16x16x32 %a * %b + %c sparse(%j : i32) : vector<8xf16>, vector<16xf16>, vector<8xf32> // expected-error {{sparseIdx is vector<4xi8>, found i32}}
  %6 = amdgpu.sparse_wmma 16x16x32 %q * %r + %s sparse(%i : vector<4xi8>) unsignedB : vector<8xi8>, vector<16xi8>, vector<8xi32>
  return
}

// -----
func.func @nvidia(%a: vector<4x2xf16>, %h: vector<4x2xbf16>, %c: vector<2x2xf32>, %m: vector<2xi16>, %w: vector<4xi8>) {
  %0 = nvgpu.mma.sp.sync(%a, %a, %c) metadata(%m) {mmaShape = [16, 8]} : (vector<4x2xf16>, vector<4x2xf16>, vector<2x2xf32>) -> vector<2x2xf32> // expected-error {{mmaShape must be three positive integers [m, n, k], found [16, 8]}}
  %1 = nvgpu.mma.sp.sync(%a, %a, %c) metadata(%m) {mmaShape = [16, 8, 32], sparsitySelector = 2 : i32} : (vector<4x2xf16>, vector<4x2xf16>, vector<2x2xf32>) -> vector<2x2xf32> // expected-error {{sparsitySelector must be 0 or 1, found 2}}
  %2 = nvgpu.mma.sp.sync(%a, %h, %c) metadata(%m) {mmaShape = [16, 8, 32]} : (vector<4x2xf16>, vector<4x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32> // expected-error {{matrixA and matrixB must have the same element type, found vector<4x2xf16> and vector<4x2xbf16>}}
  %3 = nvgpu.mma.sp.sync(%a, %a, %c) metadata(%m) {mmaShape = [16, 8, 64]} : (vector<4x2xf16>, vector<4x2xf16>, vector<2x2xf32>) -> vector<2x2xf32> // expected-error {{matrixA 16x32 is vector<8x2xf16> of a lane, found vector<4x2xf16>}} // expected-error {{matrixB 64x8 is vector<8x2xf16> of a lane, found vector<4x2xf16>}}
  %4 = nvgpu.mma.sp.sync(%a, %a, %c) metadata(%w) {mmaShape = [16, 8, 32]} : (vector<4x2xf16>, vector<4x2xf16>, vector<2x2xf32>) -> vector<2x2xf32> // expected-error {{operand 'sparseMetadata' must be vector<2xi16>, found vector<4xi8>}}
  return
}

// -----
// Of a byte and less A and B may differ; where every lane has metadata, nothing is to be selected.
func.func @short(%a: vector<4x4xi8>, %b: vector<4x4xf8E5M2>, %e: vector<4x4xf8E4M3FN>, %i: vector<2x2xi32>, %c: vector<2x2xf32>, %m: vector<2xi16>, %x: vector<4x1xf32>) {
  %0 = nvgpu.mma.sp.sync(%a, %a, %i) metadata(%m) {mmaShape = [16, 8, 64], unsignedB} : (vector<4x4xi8>, vector<4x4xi8>, vector<2x2xi32>) -> vector<2x2xi32>
  %1 = nvgpu.mma.sp.sync(%e, %b, %c) metadata(%m) {mmaShape = [16, 8, 64]} : (vector<4x4xf8E4M3FN>, vector<4x4xf8E5M2>, vector<2x2xf32>) -> vector<2x2xf32>
  %2 = nvgpu.mma.sp.sync(%a, %a, %i) metadata(%m) {mmaShape = [16, 8, 64], sparsitySelector = 1 : i32} : (vector<4x4xi8>, vector<4x4xi8>, vector<2x2xi32>) -> vector<2x2xi32> // expected-error {{sparsitySelector must be 0, as every lane has metadata, found 1}}
  %3 = nvgpu.mma.sp.sync(%a, %b, %c) metadata(%m) {mmaShape = [16, 8, 64]} : (vector<4x4xi8>, vector<4x4xf8E5M2>, vector<2x2xf32>) -> vector<2x2xf32> // expected-error {{matrixA and matrixB must have elements of one width, found i8 and f8E5M2}}
  %4 = nvgpu.mma.sp.sync(%e, %b, %i) metadata(%m) {mmaShape = [16, 8, 64]} : (vector<4x4xf8E4M3FN>, vector<4x4xf8E5M2>, vector<2x2xi32>) -> vector<2x2xi32> // expected-error {{elements f8E4M3FN accumulate in f32 or f16, matrixC has i32}}
  %5 = nvgpu.mma.sp.sync(%e, %b, %c) metadata(%m) {mmaShape = [16, 8, 64], unsignedA} : (vector<4x4xf8E4M3FN>, vector<4x4xf8E5M2>, vector<2x2xf32>) -> vector<2x2xf32> // expected-error {{has unsignedA, which is of integers, found f8E4M3FN}}
  %6 = nvgpu.mma.sp.sync(%x, %x, %c) metadata(%m) {mmaShape = [16, 8, 16], tf32Enabled} : (vector<4x1xf32>, vector<4x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
  return
}
