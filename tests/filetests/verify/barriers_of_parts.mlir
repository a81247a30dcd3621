// A workgroup has 15 barriers of groups of subgroups beside its own.
// test compile target=sm_90
gpu.func @k() kernel attributes {gpu.known_block_size = array<i32: 1024, 1, 1>} {
  lanewise.split {subgroups = array<i64: 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2>} {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier // expected-error {{is the barrier of group 16 of subgroups; a workgroup has 15 beside its own}}
  }
  gpu.return
}
// -----
// Groups of the same subgroups share one, and a subgroup needs none.
gpu.func @k() kernel attributes {gpu.known_block_size = array<i32: 1024, 1, 1>} {
  lanewise.split {subgroups = array<i64: 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 1>} {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  }
  lanewise.split {subgroups = array<i64: 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 1>} {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  } {
    gpu.barrier
  }
  gpu.return
}
