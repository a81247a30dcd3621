// test verify
gpu.func @k(%h: memref<8xi32>, %f: memref<8xf32>, %v: vector<4xi32>, %w: vector<8xi32>, %m: vector<4xi1>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{base and value element type should match, found memref<8xf32> and vector<4xi32>}}
  lanewise.update addi %v, %f[%c0][%v], %m : vector<4xi32>, memref<8xf32>, vector<4xi32>, vector<4xi1>
  // expected-error@+1 {{expected value dim to match indices dim, found vector<4xi32> and vector<8xi32>}}
  lanewise.update addi %v, %h[%c0][%w], %m : vector<4xi32>, memref<8xi32>, vector<8xi32>, vector<4xi1>
  // expected-error@+1 {{kind 'addf' does not join elements of vector<4xi32>}}
  lanewise.update addf %v, %h[%c0][%v], %m : vector<4xi32>, memref<8xi32>, vector<4xi32>, vector<4xi1>
  // expected-error@+1 {{kind 'assign' does not join elements of vector<4xi32>}}
  lanewise.update assign %v, %h[%c0][%v], %m : vector<4xi32>, memref<8xi32>, vector<4xi32>, vector<4xi1>
  gpu.return
}
