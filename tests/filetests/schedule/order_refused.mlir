// test layout target=sm_80
// expected-error@+1 {{lanewise.bands must be a number of rows of the grid, 1 to 65535, found 0 : i64}}
gpu.func @f(%y: memref<2xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.bands = 0} {
  gpu.return
}
// -----
module attributes {lanewise.stage = "layout"} {
  // expected-error@+2 {{has 'lanewise.bands', which is read in the vector stage, not in the layout stage}}
  // expected-error@+1 {{has 'lanewise.split_k', which is read in the vector stage, not in the layout stage}}
  gpu.func @f(%y: memref<2xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.bands = 2, lanewise.split_k = "x"} {
    gpu.return
  }
}
