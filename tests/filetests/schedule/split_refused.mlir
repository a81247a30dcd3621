// Workgroups that cannot share out what a program says are refused, with what stands in the way.
// test layout target=sm_80
gpu.func @f(%X: memref<?x32xf32>, %C: memref<32xf32>, %N: index) kernel
  // expected-error@-1 {{lanewise.split_k must be one of x, y, z, found "k"}}
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.split_k = "k"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %all = arith.constant dense<true> : vector<32xi1>
  %places = vector.step : vector<32xindex>
  %sum = scf.for %i = %c0 to %N step %c1 iter_args(%s = %zero) -> (vector<32xf32>) {
    %row = vector.transfer_read %X[%i, %c0], %q {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
    %t = arith.addf %row, %s : vector<32xf32>
    scf.yield %t : vector<32xf32>
  }
  lanewise.update addf %sum, %C[%c0][%places], %all : vector<32xf32>, memref<32xf32>, vector<32xindex>, vector<32xi1>
  gpu.return
}
// -----
// A sum that is written would be written by every part.
gpu.func @f(%X: memref<?x32xf32>, %C: memref<32xf32>, %N: index) kernel
  // expected-error@+1 {{kernel '@f' has lanewise.split_k: nothing is added to memory}}
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.split_k = "z"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %all = arith.constant dense<true> : vector<32xi1>
  %places = vector.step : vector<32xindex>
  %sum = scf.for %i = %c0 to %N step %c1 iter_args(%s = %zero) -> (vector<32xf32>) {
    %row = vector.transfer_read %X[%i, %c0], %q {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
    %t = arith.addf %row, %s : vector<32xf32>
    scf.yield %t : vector<32xf32>
  }
  vector.transfer_write %sum, %C[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  gpu.return
}
// -----
gpu.func @f(%X: memref<?x32xf32>, %C: memref<32xf32>, %N: index) kernel
  // expected-error@+1 {{kernel '@f' has lanewise.split_k: parts of a sum do not join by 'maximumf'}}
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.split_k = "z"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %all = arith.constant dense<true> : vector<32xi1>
  %places = vector.step : vector<32xindex>
  %sum = scf.for %i = %c0 to %N step %c1 iter_args(%s = %zero) -> (vector<32xf32>) {
    %row = vector.transfer_read %X[%i, %c0], %q {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
    %t = arith.addf %row, %s : vector<32xf32>
    scf.yield %t : vector<32xf32>
  }
  lanewise.update maximumf %sum, %C[%c0][%places], %all : vector<32xf32>, memref<32xf32>, vector<32xindex>, vector<32xi1>
  gpu.return
}
// -----
gpu.func @f(%X: memref<?x32xf32>, %C: memref<32xf32>, %N: index) kernel
  // expected-error@+1 {{kernel '@f' has lanewise.split_k: what is added to memory is not what a loop of the kernel's own sums up}}
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.split_k = "z"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %all = arith.constant dense<true> : vector<32xi1>
  %places = vector.step : vector<32xindex>
  %sum = scf.for %i = %c0 to %N step %c1 iter_args(%s = %zero) -> (vector<32xf32>) {
    %row = vector.transfer_read %X[%i, %c0], %q {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
    %t = arith.addf %row, %s : vector<32xf32>
    scf.yield %t : vector<32xf32>
  }
  %twice = arith.addf %sum, %sum : vector<32xf32>
  lanewise.update addf %twice, %C[%c0][%places], %all : vector<32xf32>, memref<32xf32>, vector<32xindex>, vector<32xi1>
  gpu.return
}
// -----
gpu.func @f(%X: memref<?x32xf32>, %C: memref<32xf32>, %N: index) kernel
  // expected-error@+1 {{kernel '@f' has lanewise.split_k: a loop that is shared out counts indices from a constant, 0 or more, by a constant}}
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.split_k = "z"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %all = arith.constant dense<true> : vector<32xi1>
  %places = vector.step : vector<32xindex>
  %sum = scf.for %i = %N to %N step %c1 iter_args(%s = %zero) -> (vector<32xf32>) {
    %row = vector.transfer_read %X[%i, %c0], %q {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
    %t = arith.addf %row, %s : vector<32xf32>
    scf.yield %t : vector<32xf32>
  }
  lanewise.update addf %sum, %C[%c0][%places], %all : vector<32xf32>, memref<32xf32>, vector<32xindex>, vector<32xi1>
  gpu.return
}
// -----
// Only the last row.
gpu.func @f(%X: memref<?x32xf32>, %C: memref<32xf32>, %N: index) kernel
  // expected-error@+1 {{kernel '@f' has lanewise.split_k: what the loop carries is not a sum that is only added to}}
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.split_k = "z"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %all = arith.constant dense<true> : vector<32xi1>
  %places = vector.step : vector<32xindex>
  %sum = scf.for %i = %c0 to %N step %c1 iter_args(%s = %zero) -> (vector<32xf32>) {
    %row = vector.transfer_read %X[%i, %c0], %q {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
    %t = arith.addf %row, %row : vector<32xf32>
    scf.yield %t : vector<32xf32>
  }
  lanewise.update addf %sum, %C[%c0][%places], %all : vector<32xf32>, memref<32xf32>, vector<32xindex>, vector<32xi1>
  gpu.return
}
// -----
gpu.func @f(%X: memref<?x32xf32>, %C: memref<32xf32>, %N: index) kernel
  // expected-error@+1 {{kernel '@f' has lanewise.split_k: what the loop carries is not a sum that is only added to}}
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.split_k = "z"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %all = arith.constant dense<true> : vector<32xi1>
  %places = vector.step : vector<32xindex>
  %sum = scf.for %i = %c0 to %N step %c1 iter_args(%s = %zero) -> (vector<32xf32>) {
    %row = vector.transfer_read %X[%i, %c0], %q {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
    %t = arith.mulf %row, %s : vector<32xf32>
    scf.yield %t : vector<32xf32>
  }
  lanewise.update addf %sum, %C[%c0][%places], %all : vector<32xf32>, memref<32xf32>, vector<32xindex>, vector<32xi1>
  gpu.return
}
// -----
gpu.func @f(%X: memref<?x32xf32>, %C: memref<32xf32>, %N: index) kernel
  // expected-error@+1 {{kernel '@f' has lanewise.split_k: a sum is used otherwise than being added to memory}}
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.split_k = "z"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %all = arith.constant dense<true> : vector<32xi1>
  %places = vector.step : vector<32xindex>
  %sum = scf.for %i = %c0 to %N step %c1 iter_args(%s = %zero) -> (vector<32xf32>) {
    %row = vector.transfer_read %X[%i, %c0], %q {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
    %t = arith.addf %row, %s : vector<32xf32>
    scf.yield %t : vector<32xf32>
  }
  lanewise.update addf %sum, %C[%c0][%places], %all : vector<32xf32>, memref<32xf32>, vector<32xindex>, vector<32xi1>
  vector.transfer_write %sum, %X[%c0, %c0] {in_bounds = [true]} : vector<32xf32>, memref<?x32xf32>
  gpu.return
}
// -----
gpu.func @f(%X: memref<?x32xf32>, %C: memref<32xf32>, %N: index) kernel
  // expected-error@+1 {{kernel '@f' has lanewise.split_k: workgroups along z do the same, but one asks which it is}}
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.split_k = "z"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %all = arith.constant dense<true> : vector<32xi1>
  %places = vector.step : vector<32xindex>
  %z = gpu.block_id z
  %sum = scf.for %i = %c0 to %N step %c1 iter_args(%s = %zero) -> (vector<32xf32>) {
    %row = vector.transfer_read %X[%z, %c0], %q {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
    %t = arith.addf %row, %s : vector<32xf32>
    scf.yield %t : vector<32xf32>
  }
  lanewise.update addf %sum, %C[%c0][%places], %all : vector<32xf32>, memref<32xf32>, vector<32xindex>, vector<32xi1>
  gpu.return
}
// -----
gpu.func @f(%X: memref<?x32xf32>, %C: memref<32xf32>, %N: index) kernel
  // expected-error@+1 {{kernel '@f' has lanewise.split_k: every part would do what only one should}}
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.split_k = "z"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %all = arith.constant dense<true> : vector<32xi1>
  %places = vector.step : vector<32xindex>
  %sum = scf.for %i = %c0 to %N step %c1 iter_args(%s = %zero) -> (vector<32xf32>) {
    %row = vector.transfer_read %X[%i, %c0], %q {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
    %t = arith.addf %row, %s : vector<32xf32>
    scf.yield %t : vector<32xf32>
  }
  lanewise.update addf %sum, %C[%c0][%places], %all : vector<32xf32>, memref<32xf32>, vector<32xindex>, vector<32xi1>
  vector.transfer_write %zero, %X[%c0, %c0] {in_bounds = [true]} : vector<32xf32>, memref<?x32xf32>
  gpu.return
}
// -----
gpu.func @f(%X: memref<?x32xf32>, %C: memref<32xf32>, %N: index) kernel
  // expected-error@+1 {{kernel '@f' has lanewise.split_k: what is added to is read, too}}
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.split_k = "z"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %all = arith.constant dense<true> : vector<32xi1>
  %places = vector.step : vector<32xindex>
  %sum = scf.for %i = %c0 to %N step %c1 iter_args(%s = %zero) -> (vector<32xf32>) {
    %row = vector.transfer_read %X[%i, %c0], %q {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
    %t = arith.addf %row, %s : vector<32xf32>
    scf.yield %t : vector<32xf32>
  }
  lanewise.update addf %sum, %C[%c0][%places], %all : vector<32xf32>, memref<32xf32>, vector<32xindex>, vector<32xi1>
  %old = vector.transfer_read %C[%c0], %q {in_bounds = [true]} : memref<32xf32>, vector<32xf32>
  vector.transfer_write %old, %X[%c0, %c0] {in_bounds = [true]} : vector<32xf32>, memref<?x32xf32>
  gpu.return
}
// -----
gpu.func @f(%X: memref<?x32xf32>, %C: memref<32xf32>, %N: index) kernel
  // expected-error@+1 {{kernel '@f' has lanewise.split_k: every part would do what only one should}}
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.split_k = "z"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %all = arith.constant dense<true> : vector<32xi1>
  %places = vector.step : vector<32xindex>
  %sum = scf.for %i = %c0 to %N step %c1 iter_args(%s = %zero) -> (vector<32xf32>) {
    %row = vector.transfer_read %X[%i, %c0], %q {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
    %t = arith.addf %row, %s : vector<32xf32>
    scf.yield %t : vector<32xf32>
  }
  lanewise.update addf %sum, %C[%c0][%places], %all : vector<32xf32>, memref<32xf32>, vector<32xindex>, vector<32xi1>
  gpu.barrier
  gpu.return
}
