#inner = affine_set<(d0)[s0] : (d0 - 2 >= 0, s0 - d0 - 3 >= 0)>
gpu.func @f(%X: memref<12x8xf32>, %Y: memref<12x8xf32>, %S: memref<8xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<8xf32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 8 step 2 {
      %a = affine.load %X[%i, %j + 1] : memref<12x8xf32>
      %b = affine.load %X[(%i * 5 + 3) mod 12, %j] : memref<12x8xf32>
      %c = affine.if #inner(%i)[%n] -> f32 {
        affine.yield %a : f32
      } else {
        affine.yield %b : f32
      }
      affine.store %c, %Y[%i, %j] : memref<12x8xf32>
      affine.if affine_set<(d0, d1) : (d0 - d1 == 0)>(%i, %j) {
        affine.store %zero, %Y[%i, %j + 1] : memref<12x8xf32>
      } else {
        affine.store %a, %Y[%i, %j + 1] : memref<12x8xf32>
      }
    }
  }
  // from max(3, n - 10) to min(n, 9), by vectors, last row first
  %sum = affine.for %i = max affine_map<()[s0] -> (3, s0 - 10)>()[%n] to min affine_map<()[s0] -> (s0, 9)>()[%n] step 3
      iter_args(%acc = %zeros) -> (vector<8xf32>) {
    %row = affine.vector_load %X[symbol(%n) - %i - 1, 0] : memref<12x8xf32>, vector<8xf32>
    %t = arith.addf %acc, %row : vector<8xf32>
    affine.yield %t : vector<8xf32>
  }
  affine.vector_store %sum, %S[0] : memref<8xf32>, vector<8xf32>
  gpu.return
}
