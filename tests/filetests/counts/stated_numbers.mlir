// What is known of a number that a program indexes with makes accesses wide, whether the program states it or the launch
// sees it: 128 floats of 32 threads are one access of 16 bytes for each.
// test run
// lanewise.args x = normal(256), y = empty(128), 64; grid = 1
// expect sm_90: loads 1, stores 1
gpu.func @stated(%x: memref<256xf32> {llvm.align = 16 : i64}, %y: memref<128xf32> {llvm.align = 16 : i64},
                 %n: index {lanewise.divisibility = 4 : i64}) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%n], %p {in_bounds = [true]} : memref<256xf32>, vector<128xf32>
  vector.transfer_write %v, %y[%c0] {in_bounds = [true]} : vector<128xf32>, memref<128xf32>
  gpu.return
}
// -----
// test run
// lanewise.args x = normal(256), y = empty(128), 64; grid = 1
// expect sm_90: loads 1, stores 1
gpu.func @seen(%x: memref<256xf32>, %y: memref<128xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%n], %p {in_bounds = [true]} : memref<256xf32>, vector<128xf32>
  vector.transfer_write %v, %y[%c0] {in_bounds = [true]} : vector<128xf32>, memref<128xf32>
  gpu.return
}
