// test run target=sm_80
// A product of all lanes between two branches on one condition stands there once: written on both sides of the first, as LLVM does
// with what it may, it would be executed by a part of the warp each time.
// expect sm_80: mma 1
// lanewise.args y = empty(1), z = empty(1), d = empty(1) ; grid = 1
module attributes {lanewise.stage = "thread"} {
gpu.func @between(%y: memref<1xf32>, %z: memref<1xf32>, %d: memref<1xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  %a = arith.constant dense<1.0> : vector<4x2xf16>
  %b = arith.constant dense<1.0> : vector<2x2xf16>
  %c = arith.constant dense<1.0> : vector<2x2xf32>
  scf.if %first {
    memref.store %one, %y[%c0] : memref<1xf32>
  }
  %sums = nvgpu.mma.sync(%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
  %sum = vector.extract %sums[0, 0] : f32 from vector<2x2xf32>
  memref.store %sum, %d[%c0] : memref<1xf32>
  scf.if %first {
    memref.store %sum, %z[%c0] : memref<1xf32>
  }
  gpu.return
}
}
