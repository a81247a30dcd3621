// AMD's chips have a barrier of a whole workgroup only, and a subgroup needs none.
// test compile target=gfx942 emit=amdgcn
gpu.func @k() kernel attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  lanewise.split {subgroups = array<i64: 1, 3>} {
    gpu.barrier
  } {
    gpu.barrier // expected-error {{is of 3 of the workgroup's subgroups; gfx942 has barriers of all of them only}}
  }
  gpu.return
}
