// What a thread does has no place in a workgroup's program, for `compile` and for `validate`.
// test compile
// test run
// lanewise.args x = ones(1), o = empty(1); grid = 1
gpu.func @f(%X: memref<1xf32>, %O: memref<1xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %z = memref.load %X[%c0] : memref<1xf32>
  %s = gpu.subgroup_reduce add %z cluster(size = 16) : (f32) -> f32 // expected-error {{differs within a workgroup}}
  memref.store %s, %O[%c0] : memref<1xf32>
  gpu.return
}
