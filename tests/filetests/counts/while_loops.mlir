// A while loop carries an accumulator as a counted loop does: in the fragments of the matrix instruction, from its
// initial value to its result.
// test run
// One subgroup, C of 16x8, K = 16 in an iteration: one instruction, run as often as there are slices. A is read before
// the loop, B in fragments: nothing is converted inside, and what is outside is A at most, and the result.
// expect sm_90: mma 1, loop conversions 0, conversions <= 2
// expect sm_80: mma 1, loop conversions 0, conversions <= 2
// lanewise.args n = full(1, value=64), a = integers(-3, 3, 16, 16), b = integers(-3, 3, 64, 8), c = empty(16, 8); grid = 1
#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
gpu.func @f(%N: memref<1xindex>, %A: memref<16x16xf16>, %B: memref<64x8xf16>, %C: memref<16x8xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %h = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<16x8xf32>
  %n = memref.load %N[%c0] : memref<1xindex>
  %a = vector.transfer_read %A[%c0, %c0], %h {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %r:2 = scf.while (%k = %c0, %acc = %z) : (index, vector<16x8xf32>) -> (index, vector<16x8xf32>) {
    %go = arith.cmpi ult, %k, %n : index
    scf.condition(%go) %k, %acc : index, vector<16x8xf32>
  } do {
  ^bb0(%k: index, %acc: vector<16x8xf32>):
    %b = vector.transfer_read %B[%k, %c0], %h {in_bounds = [true, true]} : memref<64x8xf16>, vector<16x8xf16>
    %sum = vector.contract {indexing_maps = [#lhs, #rhs, #out],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %a, %b, %acc : vector<16x16xf16>, vector<16x8xf16> into vector<16x8xf32>
    %next = arith.addi %k, %c16 : index
    scf.yield %next, %sum : index, vector<16x8xf32>
  }
  vector.transfer_write %r#1, %C[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  gpu.return
}
