// Transposes move data once where both sides are read along memory, and not at all where they can be avoided.
// test run
// Both sides along memory need one exchange: 512 sectors and 8 accesses each way; 64 * 64 * 4 = 16384 bytes go through shared
// memory in 16384 / 128 = 128 wavefronts each way without a conflict.
// expect sm_90: sectors 1024, loads 8, stores 8, conversions 1, shared bytes <= 16384, wavefronts 256, bank conflicts 0
// expect gfx942: sectors 1024, loads 8, stores 8, conversions 1, shared bytes <= 16384, wavefronts 256, bank conflicts 0
// lanewise.args x = index(64, 64), y = empty(64, 64); grid = 1
gpu.func @transpose(%x: memref<64x64xf32>, %y: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %t = vector.transpose %a, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
  vector.transfer_write %t, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// There and back is no movement: the layout between is the transposed one.
// expect sm_90: sectors 1024, loads 8, stores 8, conversions 0, shuffles 0, shared bytes 0
// expect gfx942: sectors 1024, loads 8, stores 8, conversions 0, shuffles 0, shared bytes 0
// lanewise.args x = index(64, 64), y = empty(64, 64); grid = 1
gpu.func @transpose(%x: memref<64x64xf32>, %y: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %t = vector.transpose %a, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
  %b = arith.addf %t, %t : vector<64x64xf32>
  %u = vector.transpose %b, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
  vector.transfer_write %u, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// The last dimension stays: rows of 16 floats are 2 sectors wherever they go. 4 * 32 * 16 * 4 / 32 = 256 sectors each way.
// expect sm_90: sectors 512, loads 4, stores 4, conversions 0, shared bytes 0
// expect gfx942: sectors 512, loads 4, stores 4, conversions 0, shared bytes 0
// lanewise.args x = index(4, 32, 16), y = empty(32, 4, 16); grid = 1
gpu.func @transpose(%x: memref<4x32x16xf32>, %y: memref<32x4x16xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0, %c0], %p {in_bounds = [true, true, true]}
      : memref<4x32x16xf32>, vector<4x32x16xf32>
  %t = vector.transpose %a, [1, 0, 2] : vector<4x32x16xf32> to vector<32x4x16xf32>
  vector.transfer_write %t, %y[%c0, %c0, %c0] {in_bounds = [true, true, true]}
      : vector<32x4x16xf32>, memref<32x4x16xf32>
  gpu.return
}
// -----
// Each of 4 matrices of 32x32 by itself: 4 * 32 * 32 * 4 / 32 = 512 sectors each way and one exchange of 16384 bytes.
// expect sm_90: sectors 1024, conversions 1, loads 8, stores 8, shared bytes <= 16384
// lanewise.args x = index(4, 32, 32), y = empty(4, 32, 32); grid = 1
gpu.func @transpose(%x: memref<4x32x32xf32>, %y: memref<4x32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0, %c0], %p {in_bounds = [true, true, true]}
      : memref<4x32x32xf32>, vector<4x32x32xf32>
  %t = vector.transpose %a, [0, 2, 1] : vector<4x32x32xf32> to vector<4x32x32xf32>
  vector.transfer_write %t, %y[%c0, %c0, %c0] {in_bounds = [true, true, true]}
      : vector<4x32x32xf32>, memref<4x32x32xf32>
  gpu.return
}
// -----
// One column becomes one row: the same addresses, nothing moves. 512 * 4 / 32 = 64 sectors each way.
// expect sm_90: sectors 128, conversions 0, shuffles 0
// expect gfx942: sectors 128, conversions 0, shuffles 0
// lanewise.args x = index(512, 1), y = empty(1, 512); grid = 1
gpu.func @transpose(%x: memref<512x1xf32>, %y: memref<1x512xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<512x1xf32>, vector<512x1xf32>
  %t = vector.transpose %a, [1, 0] : vector<512x1xf32> to vector<1x512xf32>
  vector.transfer_write %t, %y[%c0, %c0] {in_bounds = [true, true]} : vector<1x512xf32>, memref<1x512xf32>
  gpu.return
}
// -----
// 32x32 halves by one subgroup: 32 * 32 * 2 / 32 = 64 sectors each way, and no more than the one exchange.
// expect sm_90: sectors 128, conversions 1, stores 4
// lanewise.args x = index(32, 32), y = empty(32, 32); grid = 1
gpu.func @transpose(%x: memref<32x32xf16>, %y: memref<32x32xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %t = vector.transpose %a, [1, 0] : vector<32x32xf16> to vector<32x32xf16>
  vector.transfer_write %t, %y[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf16>, memref<32x32xf16>
  gpu.return
}
// -----
// Rows of odd lengths are written an element a lane. The layout that the author names for it has four in a lane: nothing is
// held in it, as the one conversion goes on to where the value is written.
// expect sm_90: conversions 1, barriers 1
// expect gfx942: conversions 1, barriers 1, wavefronts 256, bank conflicts 0
// lanewise.args x = index(65, 67), y = empty(67, 65); grid = 1
#rows = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [2, 2], outer_tile = [1, 1], thread_tile = [32, 8], element_tile = [1, 4],
  subgroup_strides = [0, 0], thread_strides = [8, 1]>
gpu.func @transpose(%x: memref<65x67xf32>, %y: memref<67x65xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c1, %c0], %p {in_bounds = [true, true]} : memref<65x67xf32>, vector<64x64xf32>
  %t = vector.transpose %a, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
  %u = iree_vector_ext.to_layout %t to layout(#rows) {shared_memory_conversion} : vector<64x64xf32>
  vector.transfer_write %u, %y[%c0, %c1] {in_bounds = [true, true]} : vector<64x64xf32>, memref<67x65xf32>
  gpu.return
}
