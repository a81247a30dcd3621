// Slices at places that are no multiple of anything, taken out and put in: elements change threads.
// test roundtrip
// test run
// lanewise.args x = index(12, 40), y = empty(7, 33), z = empty(12, 40); grid = 1
gpu.func @slices(%x: memref<12x40xf32>, %y: memref<7x33xf32>, %z: memref<12x40xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0, %c0], %p : memref<12x40xf32>, vector<12x40xf32>
  %1 = vector.extract_strided_slice %0 {offsets = [3, 5], sizes = [7, 33], strides = [1, 1]} : vector<12x40xf32> to vector<7x33xf32>
  vector.transfer_write %1, %y[%c0, %c0] : vector<7x33xf32>, memref<7x33xf32>
  %2 = arith.mulf %1, %1 : vector<7x33xf32>
  %3 = vector.insert_strided_slice %2, %0 {offsets = [1, 2], strides = [1, 1]} : vector<7x33xf32> into vector<12x40xf32>
  vector.transfer_write %3, %z[%c0, %c0] : vector<12x40xf32>, memref<12x40xf32>
  gpu.return
}

// -----

// Slices of whole register tiles move nothing; the first dims alone are given, the rest is taken whole.
// expect sm_90: shuffles 0, barriers 0, shared bytes 0
// expect gfx942: shuffles 0, barriers 0, shared bytes 0
// lanewise.args x = index(8, 64), y = empty(2, 64), z = empty(8, 64); grid = 1
gpu.func @rows(%x: memref<8x64xf32>, %y: memref<2x64xf32>, %z: memref<8x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0, %c0], %p : memref<8x64xf32>, vector<8x64xf32>
  %l = iree_vector_ext.to_layout %0 to layout(#iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [8, 1], outer_tile = [1, 1], thread_tile = [1, 64], element_tile = [1, 1], subgroup_strides = [0, 0], thread_strides = [0, 1]>) : vector<8x64xf32>
  %1 = vector.extract_strided_slice %l {offsets = [3], sizes = [2], strides = [1]} : vector<8x64xf32> to vector<2x64xf32>
  vector.transfer_write %1, %y[%c0, %c0] : vector<2x64xf32>, memref<2x64xf32>
  %2 = vector.insert_strided_slice %1, %l {offsets = [6, 0], strides = [1, 1]} : vector<2x64xf32> into vector<8x64xf32>
  vector.transfer_write %2, %z[%c0, %c0] : vector<8x64xf32>, memref<8x64xf32>
  gpu.return
}

// -----

// A value of fewer dims goes into the last ones; the destination is made where it is needed.
// lanewise.args x = index(24), y = empty(3, 4, 32); grid = 1
gpu.func @into_more_dims(%x: memref<24xf16>, %y: memref<3x4x32xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 96, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %d = arith.constant dense<2.0> : vector<3x4x32xf16>
  %0 = vector.transfer_read %x[%c0], %p : memref<24xf16>, vector<24xf16>
  %1 = vector.insert_strided_slice %0, %d {offsets = [2, 1, 7], strides = [1]} : vector<24xf16> into vector<3x4x32xf16>
  vector.transfer_write %1, %y[%c0, %c0, %c0] : vector<3x4x32xf16>, memref<3x4x32xf16>
  gpu.return
}
