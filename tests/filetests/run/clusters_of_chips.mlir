// test compile target=sm_80 emit=llvm
// test compile target=gfx942 emit=llvm
// expected-error@+1 {{has a known_cluster_size of [2, 1, 1];}}
gpu.func @two() kernel attributes {gpu.known_block_size = array<i32: 64>, known_cluster_size = array<i32: 2>} {
  gpu.return
}
