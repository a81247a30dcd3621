// What has no pairs that are updated in one step.
// test verify
#fat = #amdgpu.address_space<fat_raw_buffer>
func.func @f(%m: memref<8xf16>, %t: memref<4x4xf16, #fat>, %b: memref<8xbf16, #fat>, %h: memref<8xf16, #fat>, %v: vector<2xf16>, %x: vector<2xf32>, %i: index) {
  %0 = lanewise.update_pair %v, %m[%i] : vector<2xf16>, memref<8xf16> // expected-error {{updates a raw buffer of one dimension, found memref<8xf16>}}
  %1 = lanewise.update_pair %v, %t[%i, %i] : vector<2xf16>, memref<4x4xf16, #fat> // expected-error {{updates a raw buffer of one dimension, found memref<4x4xf16, #amdgpu.address_space<fat_raw_buffer>>}}
  %2 = lanewise.update_pair %v, %b[%i] : vector<2xf16>, memref<8xbf16, #fat> // expected-error {{moves elements of bf16, found vector<2xf16>}}
  %3 = lanewise.update_pair %x, %b[%i] : vector<2xf32>, memref<8xbf16, #fat> // expected-error {{'result' must be vector<2xf16> or vector<2xbf16>, found vector<2xf32>}} // expected-error {{'value' must be vector<2xf16> or vector<2xbf16>, found vector<2xf32>}}
  %4 = lanewise.update_pair %v, %h[] : vector<2xf16>, memref<8xf16, #fat> // expected-error {{has 0 indices for a memref of rank 1}}
  return
}
