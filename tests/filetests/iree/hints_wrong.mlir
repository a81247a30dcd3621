// What hints of lanes do not say.
// test verify
func.func @f(%i: index) {
  %0 = iree_codegen.index_hint %i(#iree_gpu.lane_constant<0>) : index // expected-error {{a group has a lane or more, found 0}}
  return
}

// -----

func.func @f(%i: index) {
  %0 = iree_codegen.index_hint %i(#iree_gpu.lane_constant<16, step = 2>) : index // expected-error {{expected '>', found ','}}
  return
}

// -----

func.func @f(%i: index) {
  %0 = iree_codegen.index_hint %i(#iree_gpu.lane_increment<-4>) : index // expected-error {{a group has a lane or more, found -4}}
  return
}

// -----

func.func @f(%i: index) {
  %0 = iree_codegen.index_hint %i(#iree_gpu.lane_increment<16, steps = 2>) : index // expected-error {{expected one of step, aligned, found 'steps'}}
  return
}
