// What lanes and threads do together: every message.
// test verify
func.func @lanes(%v: f32, %i: i32, %p: i1) {
  %0:2 = gpu.rotate %v, 1, 3 : f32 // expected-error {{width must be a power of two, found 3}}
  %1:2 = gpu.rotate %v, 4, 4 : f32 // expected-error {{offset must be in the range [0, 4), found 4}}
  %2 = gpu.subgroup_broadcast %v, specific_lane : f32 // expected-error {{lane must be specified for specific_lane broadcast}}
  %3 = gpu.subgroup_broadcast %v, first_active_lane %i : f32 // expected-error {{lane can only be specified for specific_lane broadcast}}
  %4 = gpu.ballot %p : i16 // expected-error {{i32 or i64}}
  %5 = gpu.dynamic_shared_memory : memref<?xi8> // expected-error {{result must be memref<?xi8, #gpu.address_space<workgroup>>, found memref<?xi8>}}
  return
}

func.func @reduced(%v: f32, %i: i32) {
  %0 = gpu.all_reduce %v {} : (f32) -> (f32) // expected-error {{expected either an op attribute or a non-empty body}}
  %1 = gpu.all_reduce and %v {} : (f32) -> (f32) // expected-error {{kind 'and' does not apply to f32}}
  %2 = gpu.all_reduce add %v { // expected-error {{expected either an op attribute or a non-empty body}}
  ^bb(%a: f32, %b: f32):
    gpu.yield %a : f32
  } : (f32) -> (f32)
  %3 = gpu.all_reduce %v { // expected-error {{expected two region arguments of type f32, found (f32)}}
  ^bb(%a: f32):
    gpu.yield %a : f32
  } : (f32) -> (f32)
  %4 = gpu.all_reduce %v { // expected-error {{the region must end in gpu.yield of one f32}}
  ^bb(%a: f32, %b: f32):
    gpu.yield %a, %b : f32, f32
  } : (f32) -> (f32)
  gpu.yield %v : f32 // expected-error {{must be inside gpu.all_reduce}}
}
