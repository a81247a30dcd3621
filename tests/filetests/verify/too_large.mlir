// A vector that no workgroup's threads can hold is refused before anything is made of it.
// test compile
// test compile target=gfx942
gpu.func @f(%X: memref<1048576xf32>, %O: memref<1048576xf32>) kernel attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %x = vector.transfer_read %X[%c0], %p {in_bounds = [true]} : memref<1048576xf32>, vector<1048576xf32> // expected-error {{makes a vector of 1048576 elements for 256 threads, the limit is 131072 (512 for each)}}
  vector.transfer_write %x, %O[%c0] {in_bounds = [true]} : vector<1048576xf32>, memref<1048576xf32>
  gpu.return
}
