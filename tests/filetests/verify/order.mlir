// A block ends where its terminator stands.
// test verify
gpu.func @f(%O: memref<1xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %x = arith.constant 0.0 : f32
  gpu.return // expected-error {{'gpu.return' op must be the last operation of its block}}
  memref.store %x, %O[%c0] : memref<1xf32>
}
