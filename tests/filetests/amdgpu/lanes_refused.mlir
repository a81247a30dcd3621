// What instructions that read other lanes do not take.
// test verify
func.func @wrong(%x: f32, %i: i32, %v: vector<2x2xf32>, %l: i64) {
  %0 = amdgpu.dpp %x %x quad_perm([1 : i32, 0 : i32, 3 : i32]) : f32 // expected-error {{quad_perm takes four numbers below 4}}
  %1 = amdgpu.dpp %x %x quad_perm : f32 // expected-error {{quad_perm takes four numbers below 4, found None}}
  %2 = amdgpu.dpp %x %x row_shl(16 : i32) : f32 // expected-error {{row_shl takes a number from 1 to 15, found 16 : i32}}
  %3 = amdgpu.dpp %x %x row_mirror(1 : i32) : f32 // expected-error {{row_mirror takes no argument, found 1 : i32}}
  %4 = amdgpu.dpp %x %x row_mirror row_mask(16) : f32 // expected-error {{row_mask has four bits, found 16}}
  %5 = amdgpu.swizzle_bitmode %x 1 32 4 : f32 // expected-error {{or_mask has five bits, found 32 : i32}}
  %7 = amdgpu.permlane_swap %x 8 : f32 // expected-error {{row_length must be 16 or 32, found 8}}
  %8 = amdgpu.permlane_var %x, %l : f32 // expected-error {{'selector' must be i32, found i64}}
  "amdgpu.lds_barrier"(%x) : (f32) -> () // expected-error {{operand}}
  return
}
