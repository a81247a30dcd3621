// test compile target=sm_80 emit=llvm
// test compile target=gfx942 emit=llvm
// expected-error@+1 {{has a known_cluster_size of [2, 1, 1];}}
gpu.func @two() kernel attributes {gpu.known_block_size = array<i32: 64>, known_cluster_size = array<i32: 2>} {
  gpu.return
}

// -----

// A workgroup that comes alone is its cluster, but for instructions that the chip has not.
gpu.func @arrives() kernel attributes {gpu.known_block_size = array<i32: 64>, lanewise.scope = "thread"} {
  // expected-error@+1 {{nvvm.cluster.arrive}}
  nvvm.cluster.arrive
  gpu.return
}

// -----

gpu.func @arrives_relaxed() kernel attributes {gpu.known_block_size = array<i32: 64>, lanewise.scope = "thread"} {
  // expected-error@+1 {{nvvm.cluster.arrive.relaxed}}
  nvvm.cluster.arrive.relaxed
  gpu.return
}

// -----

gpu.func @waits() kernel attributes {gpu.known_block_size = array<i32: 64>, lanewise.scope = "thread"} {
  // expected-error@+1 {{nvvm.cluster.wait}}
  nvvm.cluster.wait
  gpu.return
}
