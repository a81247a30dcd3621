// What is computed between to_simt and to_simd is computed of whole vectors: nothing crosses threads.
// test roundtrip
// test run
// test run target=gfx942
// test run target=sm_80
// test run target=gfx1100
// expect sm_90: shuffles 0, barriers 0, loads 2, stores 1, conversions 0
// lanewise.args x = normal(128), y = normal(128), z = empty(128); grid = 1
gpu.module @kernels {
  gpu.func @between(%x: memref<128xf32>, %y: memref<128xf32>, %z: memref<128xf16>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %s = arith.constant 3.0 : f32
    %two = arith.constant dense<2.0> : vector<1x1x4xf32>
    %0 = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<128xf32>, vector<128xf32>
    %1 = vector.transfer_read %y[%c0], %p {in_bounds = [true]} : memref<128xf32>, vector<128xf32>
    %a = iree_vector_ext.to_simt %0 : vector<128xf32> -> vector<1x1x4xf32>
    %b = iree_vector_ext.to_simt %1 : vector<128xf32> -> vector<1x1x4xf32>
    %t = vector.broadcast %s : f32 to vector<1x1x4xf32>
    %2 = arith.mulf %a, %two : vector<1x1x4xf32>
    %3 = arith.addf %2, %b : vector<1x1x4xf32>
    %4 = arith.subf %3, %t : vector<1x1x4xf32>
    %5 = arith.truncf %4 : vector<1x1x4xf32> to vector<1x1x4xf16>
    %6 = iree_vector_ext.to_simd %5 : vector<1x1x4xf16> -> vector<128xf16>
    %7 = iree_vector_ext.to_simt %6 : vector<128xf16> -> vector<4xf16>
    %8 = iree_vector_ext.to_simd %7 : vector<4xf16> -> vector<128xf16>
    vector.transfer_write %8, %z[%c0] {in_bounds = [true]} : vector<128xf16>, memref<128xf16>
    gpu.return
  }
}
// -----
// A thread's program: it holds all of its vectors, so a bridge that stands alone changes nothing. 0 + 1 + 2 + 3, 4 + ... + 7.
// expect sm_90: loads 1, stores 1, shuffles 0
// expect gfx942: loads 1, stores 1, shuffles 0
// lanewise.args x = index(64, 4), y = empty(64); grid = 1
gpu.func @alone(%x: memref<64x4xf32>, %y: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %t = gpu.thread_id x
  %0 = vector.transfer_read %x[%t, %c0], %p {in_bounds = [true]} : memref<64x4xf32>, vector<4xf32>
  %1 = iree_vector_ext.to_simt %0 : vector<4xf32> -> vector<1x1x4xf32>
  %2 = vector.shape_cast %1 : vector<1x1x4xf32> to vector<4xf32>
  %3 = vector.reduction <add>, %2 : vector<4xf32> into f32
  memref.store %3, %y[%t] : memref<64xf32>
  gpu.return
}
// -----
// A workgroup's: all threads hold both numbers, which a thread that holds them all may be asked for.
// lanewise.args y = empty(2); grid = 1
// prints ( 5, 6 )
gpu.func @of_all(%y: memref<2xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<[[[5, 6]]]> : vector<1x1x2xi32>
  %0 = iree_vector_ext.to_simd %a : vector<1x1x2xi32> -> vector<2xi32>
  vector.print %0 : vector<2xi32>
  vector.transfer_write %0, %y[%c0] {in_bounds = [true]} : vector<2xi32>, memref<2xi32>
  gpu.return
}
