// Four bytes, and signs that the chip's instruction has.
// test compile target=sm_60
module attributes {lanewise.stage = "thread"} {
gpu.func @f(%A: memref<64x2xi8>, %B: memref<64x2xi8>, %C: memref<64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  %a = vector.load %A[%t, %c0] : memref<64x2xi8>, vector<2xi8>
  %b = vector.load %B[%t, %c0] : memref<64x2xi8>, vector<2xi8>
  %c = memref.load %C[%t] : memref<64xi32>
  // expected-error@+2 {{operand 'a' must be vector<4xi8>, found vector<2xi8>}}
  // expected-error@+1 {{operand 'b' must be vector<4xi8>, found vector<2xi8>}}
  %d = lanewise.dot(%a, %b, %c) {unsignedA, unsignedB} : (vector<2xi8>, vector<2xi8>, i32) -> i32
  memref.store %d, %C[%t] : memref<64xi32>
  gpu.return
}
}
// -----
module attributes {lanewise.stage = "thread"} {
gpu.func @f(%A: memref<64x4xi8>, %B: memref<64x4xi8>, %C: memref<64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  %a = vector.load %A[%t, %c0] : memref<64x4xi8>, vector<4xi8>
  %b = vector.load %B[%t, %c0] : memref<64x4xi8>, vector<4xi8>
  %c = memref.load %C[%t] : memref<64xi32>
  // expected-error@+1 {{needs dot4.mixed, which sm_60 does not have}}
  %d = lanewise.dot(%a, %b, %c) {unsignedA} : (vector<4xi8>, vector<4xi8>, i32) -> i32
  memref.store %d, %C[%t] : memref<64xi32>
  gpu.return
}
}
