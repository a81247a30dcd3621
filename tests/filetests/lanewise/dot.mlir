// One thread's products of bytes, unsigned on both sides.
// test roundtrip
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// lanewise.args a = integers(-128, 127, 64, 4), b = integers(-128, 127, 64, 4), c = integers(-9, 9, 64); grid = 1
module attributes {lanewise.stage = "thread"} {
gpu.func @f(%A: memref<64x4xi8>, %B: memref<64x4xi8>, %C: memref<64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  %a = vector.load %A[%t, %c0] : memref<64x4xi8>, vector<4xi8>
  %b = vector.load %B[%t, %c0] : memref<64x4xi8>, vector<4xi8>
  %c = memref.load %C[%t] : memref<64xi32>
  %d = lanewise.dot(%a, %b, %c) {unsignedA, unsignedB} : (vector<4xi8>, vector<4xi8>, i32) -> i32
  memref.store %d, %C[%t] : memref<64xi32>
  gpu.return
}
}
// -----
// The same in a program of threads of the vector stage.
// lanewise.args a = integers(-128, 127, 64, 4), b = integers(-128, 127, 64, 4), c = integers(-9, 9, 64); grid = 1
gpu.func @g(%A: memref<64x4xi8>, %B: memref<64x4xi8>, %C: memref<64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  lanewise.threads {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %a = vector.load %A[%t, %c0] : memref<64x4xi8>, vector<4xi8>
    %b = vector.load %B[%t, %c0] : memref<64x4xi8>, vector<4xi8>
    %c = memref.load %C[%t] : memref<64xi32>
    %d = lanewise.dot(%a, %b, %c) {unsignedA, unsignedB} : (vector<4xi8>, vector<4xi8>, i32) -> i32
    memref.store %d, %C[%t] : memref<64xi32>
  }
  gpu.return
}
