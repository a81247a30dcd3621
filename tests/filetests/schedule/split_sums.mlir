// Sums of a loop that begin at something: one part has it. Two sums of one loop, one of them of integers.
// test run
// test run target=gfx1100 N=4 S=5
// lanewise.args N = 40, S = 3 : x = integers(-3, 3, N, 32), i = integers(-3, 3, 32), c = zeros(32), d = zeros(32), N ; grid = (1, S, 1)
// expect sm_80: layout arith.select 1, layout gpu.grid_dim 1
gpu.func @column_sums(%X: memref<?x32xf32>, %I: memref<32xf32>, %C: memref<32xf32>, %D: memref<32xi32>, %N: index) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.split_k = "y"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = arith.constant 0.0 : f32
  %none = arith.constant dense<0> : vector<32xi32>
  %one = arith.constant dense<1> : vector<32xi32>
  %all = arith.constant dense<true> : vector<32xi1>
  %places = vector.step : vector<32xindex>
  %init = vector.transfer_read %I[%c0], %q {in_bounds = [true]} : memref<32xf32>, vector<32xf32>
  %sums:2 = scf.for %i = %c1 to %N step %c1 iter_args(%s = %init, %n = %none) -> (vector<32xf32>, vector<32xi32>) {
    %row = vector.transfer_read %X[%i, %c0], %q {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
    %t = arith.addf %row, %s : vector<32xf32>
    %m = arith.addi %n, %one : vector<32xi32>
    scf.yield %t, %m : vector<32xf32>, vector<32xi32>
  }
  lanewise.update addf %sums#0, %C[%c0][%places], %all : vector<32xf32>, memref<32xf32>, vector<32xindex>, vector<32xi1>
  lanewise.update addi %sums#1, %D[%c0][%places], %all : vector<32xi32>, memref<32xi32>, vector<32xindex>, vector<32xi1>
  gpu.return
}
