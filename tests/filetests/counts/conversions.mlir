// Register digits become lane digits by shuffles where that is cheaper than shared memory, with the weights of layout/plan.py.
// test run
// 1 of the register digits, 4 registers: 2 shuffles and 6 selects = 10 cycles; by 16 bytes through shared memory
// 2 accesses, 8 wavefronts and 2 barriers = 50 cycles.
// expect sm_90: conversions 1, shuffles 2, shared bytes 0, barriers 0
// lanewise.args x = index(2, 16, 2, 2), y = empty(2, 16, 2, 2); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1, 1, 1], batch_tile = [1, 1, 2, 1], outer_tile = [1, 1, 1, 1], thread_tile = [2, 16, 1, 1],
  element_tile = [1, 1, 1, 2],
  subgroup_strides = [0, 0, 0, 0], thread_strides = [16, 1, 0, 0]>
#B = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1, 1, 1], batch_tile = [2, 1, 1, 1], outer_tile = [1, 1, 1, 1], thread_tile = [1, 16, 2, 1],
  element_tile = [1, 1, 1, 2],
  subgroup_strides = [0, 0, 0, 0], thread_strides = [0, 1, 16, 0]>
module attributes {lanewise.stage = "layout", lanewise.target = "sm_90"} {
  gpu.func @convert(%x: memref<2x16x2x2xf32>, %y: memref<2x16x2x2xf32>) kernel
      attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %a = vector.transfer_read %x[%c0, %c0, %c0, %c0], %p {in_bounds = [true, true, true, true], lanewise.layout = #A}
      : memref<2x16x2x2xf32>, vector<2x16x2x2xf32>
    %b = iree_vector_ext.to_layout %a to layout(#B) {lanewise.layout = #B} : vector<2x16x2x2xf32>
    vector.transfer_write %b, %y[%c0, %c0, %c0, %c0] {in_bounds = [true, true, true, true]}
        : vector<2x16x2x2xf32>, memref<2x16x2x2xf32>
    gpu.return
  }
}
// -----
// 1 of the register digits, 32 registers: 16 shuffles and 48 selects = 80 cycles; by 16 bytes through shared memory
// 16 accesses, 64 wavefronts and 2 barriers = 176 cycles.
// expect sm_90: conversions 1, shuffles 16, shared bytes 0, barriers 0
// lanewise.args x = index(2, 16, 2, 16), y = empty(2, 16, 2, 16); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1, 1, 1], batch_tile = [1, 1, 2, 1], outer_tile = [1, 1, 1, 1], thread_tile = [2, 16, 1, 1],
  element_tile = [1, 1, 1, 16],
  subgroup_strides = [0, 0, 0, 0], thread_strides = [16, 1, 0, 0]>
#B = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1, 1, 1], batch_tile = [2, 1, 1, 1], outer_tile = [1, 1, 1, 1], thread_tile = [1, 16, 2, 1],
  element_tile = [1, 1, 1, 16],
  subgroup_strides = [0, 0, 0, 0], thread_strides = [0, 1, 16, 0]>
module attributes {lanewise.stage = "layout", lanewise.target = "sm_90"} {
  gpu.func @convert(%x: memref<2x16x2x16xf32>, %y: memref<2x16x2x16xf32>) kernel
      attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %a = vector.transfer_read %x[%c0, %c0, %c0, %c0], %p {in_bounds = [true, true, true, true], lanewise.layout = #A}
      : memref<2x16x2x16xf32>, vector<2x16x2x16xf32>
    %b = iree_vector_ext.to_layout %a to layout(#B) {lanewise.layout = #B} : vector<2x16x2x16xf32>
    vector.transfer_write %b, %y[%c0, %c0, %c0, %c0] {in_bounds = [true, true, true, true]}
        : vector<2x16x2x16xf32>, memref<2x16x2x16xf32>
    gpu.return
  }
}
// -----
// 2 of the register digits, 8 registers: 6 shuffles and 32 selects = 44 cycles; by 16 bytes through shared memory
// 4 accesses, 16 wavefronts and 2 barriers = 68 cycles.
// expect sm_90: conversions 1, shuffles 6, shared bytes 0, barriers 0
// lanewise.args x = index(4, 8, 4, 2), y = empty(4, 8, 4, 2); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1, 1, 1], batch_tile = [1, 1, 4, 1], outer_tile = [1, 1, 1, 1], thread_tile = [4, 8, 1, 1],
  element_tile = [1, 1, 1, 2],
  subgroup_strides = [0, 0, 0, 0], thread_strides = [8, 1, 0, 0]>
#B = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1, 1, 1], batch_tile = [4, 1, 1, 1], outer_tile = [1, 1, 1, 1], thread_tile = [1, 8, 4, 1],
  element_tile = [1, 1, 1, 2],
  subgroup_strides = [0, 0, 0, 0], thread_strides = [0, 1, 8, 0]>
module attributes {lanewise.stage = "layout", lanewise.target = "sm_90"} {
  gpu.func @convert(%x: memref<4x8x4x2xf32>, %y: memref<4x8x4x2xf32>) kernel
      attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %a = vector.transfer_read %x[%c0, %c0, %c0, %c0], %p {in_bounds = [true, true, true, true], lanewise.layout = #A}
      : memref<4x8x4x2xf32>, vector<4x8x4x2xf32>
    %b = iree_vector_ext.to_layout %a to layout(#B) {lanewise.layout = #B} : vector<4x8x4x2xf32>
    vector.transfer_write %b, %y[%c0, %c0, %c0, %c0] {in_bounds = [true, true, true, true]}
        : vector<4x8x4x2xf32>, memref<4x8x4x2xf32>
    gpu.return
  }
}
// -----
// 2 of the register digits, 16 registers: 12 shuffles and 64 selects = 88 cycles; by 16 bytes through shared memory
// 8 accesses, 32 wavefronts and 2 barriers = 104 cycles.
// expect sm_90: conversions 1, shuffles 12, shared bytes 0, barriers 0
// lanewise.args x = index(4, 8, 4, 4), y = empty(4, 8, 4, 4); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1, 1, 1], batch_tile = [1, 1, 4, 1], outer_tile = [1, 1, 1, 1], thread_tile = [4, 8, 1, 1],
  element_tile = [1, 1, 1, 4],
  subgroup_strides = [0, 0, 0, 0], thread_strides = [8, 1, 0, 0]>
#B = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1, 1, 1], batch_tile = [4, 1, 1, 1], outer_tile = [1, 1, 1, 1], thread_tile = [1, 8, 4, 1],
  element_tile = [1, 1, 1, 4],
  subgroup_strides = [0, 0, 0, 0], thread_strides = [0, 1, 8, 0]>
module attributes {lanewise.stage = "layout", lanewise.target = "sm_90"} {
  gpu.func @convert(%x: memref<4x8x4x4xf32>, %y: memref<4x8x4x4xf32>) kernel
      attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %a = vector.transfer_read %x[%c0, %c0, %c0, %c0], %p {in_bounds = [true, true, true, true], lanewise.layout = #A}
      : memref<4x8x4x4xf32>, vector<4x8x4x4xf32>
    %b = iree_vector_ext.to_layout %a to layout(#B) {lanewise.layout = #B} : vector<4x8x4x4xf32>
    vector.transfer_write %b, %y[%c0, %c0, %c0, %c0] {in_bounds = [true, true, true, true]}
        : vector<4x8x4x4xf32>, memref<4x8x4x4xf32>
    gpu.return
  }
}
// -----
// 2 of the register digits, 64 registers: 48 shuffles and 256 selects = 352 cycles; by 16 bytes through shared memory
// 32 accesses, 128 wavefronts and 2 barriers = 320 cycles.
// expect sm_90: conversions 1, shuffles 0, shared bytes 8192, barriers <= 1
// lanewise.args x = index(4, 8, 4, 16), y = empty(4, 8, 4, 16); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1, 1, 1], batch_tile = [1, 1, 4, 1], outer_tile = [1, 1, 1, 1], thread_tile = [4, 8, 1, 1],
  element_tile = [1, 1, 1, 16],
  subgroup_strides = [0, 0, 0, 0], thread_strides = [8, 1, 0, 0]>
#B = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1, 1, 1], batch_tile = [4, 1, 1, 1], outer_tile = [1, 1, 1, 1], thread_tile = [1, 8, 4, 1],
  element_tile = [1, 1, 1, 16],
  subgroup_strides = [0, 0, 0, 0], thread_strides = [0, 1, 8, 0]>
module attributes {lanewise.stage = "layout", lanewise.target = "sm_90"} {
  gpu.func @convert(%x: memref<4x8x4x16xf32>, %y: memref<4x8x4x16xf32>) kernel
      attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %a = vector.transfer_read %x[%c0, %c0, %c0, %c0], %p {in_bounds = [true, true, true, true], lanewise.layout = #A}
      : memref<4x8x4x16xf32>, vector<4x8x4x16xf32>
    %b = iree_vector_ext.to_layout %a to layout(#B) {lanewise.layout = #B} : vector<4x8x4x16xf32>
    vector.transfer_write %b, %y[%c0, %c0, %c0, %c0] {in_bounds = [true, true, true, true]}
        : vector<4x8x4x16xf32>, memref<4x8x4x16xf32>
    gpu.return
  }
}
// -----
// 3 of the register digits, 8 registers: 7 shuffles and 48 selects = 62 cycles; by 16 bytes through shared memory
// 4 accesses, 16 wavefronts and 2 barriers = 68 cycles.
// expect sm_90: conversions 1, shuffles 7, shared bytes 0, barriers 0
// lanewise.args x = index(8, 4, 8, 1), y = empty(8, 4, 8, 1); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1, 1, 1], batch_tile = [1, 1, 8, 1], outer_tile = [1, 1, 1, 1], thread_tile = [8, 4, 1, 1],
  element_tile = [1, 1, 1, 1],
  subgroup_strides = [0, 0, 0, 0], thread_strides = [4, 1, 0, 0]>
#B = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1, 1, 1], batch_tile = [8, 1, 1, 1], outer_tile = [1, 1, 1, 1], thread_tile = [1, 4, 8, 1],
  element_tile = [1, 1, 1, 1],
  subgroup_strides = [0, 0, 0, 0], thread_strides = [0, 1, 4, 0]>
module attributes {lanewise.stage = "layout", lanewise.target = "sm_90"} {
  gpu.func @convert(%x: memref<8x4x8x1xf32>, %y: memref<8x4x8x1xf32>) kernel
      attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %a = vector.transfer_read %x[%c0, %c0, %c0, %c0], %p {in_bounds = [true, true, true, true], lanewise.layout = #A}
      : memref<8x4x8x1xf32>, vector<8x4x8x1xf32>
    %b = iree_vector_ext.to_layout %a to layout(#B) {lanewise.layout = #B} : vector<8x4x8x1xf32>
    vector.transfer_write %b, %y[%c0, %c0, %c0, %c0] {in_bounds = [true, true, true, true]}
        : vector<8x4x8x1xf32>, memref<8x4x8x1xf32>
    gpu.return
  }
}
// -----
// 3 of the register digits, 16 registers: 14 shuffles and 96 selects = 124 cycles; by 16 bytes through shared memory
// 8 accesses, 32 wavefronts and 2 barriers = 104 cycles.
// expect sm_90: conversions 1, shuffles 0, shared bytes 2048, barriers <= 1
// lanewise.args x = index(8, 4, 8, 2), y = empty(8, 4, 8, 2); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1, 1, 1], batch_tile = [1, 1, 8, 1], outer_tile = [1, 1, 1, 1], thread_tile = [8, 4, 1, 1],
  element_tile = [1, 1, 1, 2],
  subgroup_strides = [0, 0, 0, 0], thread_strides = [4, 1, 0, 0]>
#B = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1, 1, 1], batch_tile = [8, 1, 1, 1], outer_tile = [1, 1, 1, 1], thread_tile = [1, 4, 8, 1],
  element_tile = [1, 1, 1, 2],
  subgroup_strides = [0, 0, 0, 0], thread_strides = [0, 1, 4, 0]>
module attributes {lanewise.stage = "layout", lanewise.target = "sm_90"} {
  gpu.func @convert(%x: memref<8x4x8x2xf32>, %y: memref<8x4x8x2xf32>) kernel
      attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %a = vector.transfer_read %x[%c0, %c0, %c0, %c0], %p {in_bounds = [true, true, true, true], lanewise.layout = #A}
      : memref<8x4x8x2xf32>, vector<8x4x8x2xf32>
    %b = iree_vector_ext.to_layout %a to layout(#B) {lanewise.layout = #B} : vector<8x4x8x2xf32>
    vector.transfer_write %b, %y[%c0, %c0, %c0, %c0] {in_bounds = [true, true, true, true]}
        : vector<8x4x8x2xf32>, memref<8x4x8x2xf32>
    gpu.return
  }
}
// -----
// 4 of the register digits, 16 registers: 15 shuffles and 128 selects = 158 cycles; by 16 bytes through shared memory
// 8 accesses, 32 wavefronts and 2 barriers = 104 cycles.
// expect sm_90: conversions 1, shuffles 0, shared bytes 2048, barriers <= 1
// lanewise.args x = index(16, 2, 16, 1), y = empty(16, 2, 16, 1); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1, 1, 1], batch_tile = [1, 1, 16, 1], outer_tile = [1, 1, 1, 1], thread_tile = [16, 2, 1, 1],
  element_tile = [1, 1, 1, 1],
  subgroup_strides = [0, 0, 0, 0], thread_strides = [2, 1, 0, 0]>
#B = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1, 1, 1], batch_tile = [16, 1, 1, 1], outer_tile = [1, 1, 1, 1], thread_tile = [1, 2, 16, 1],
  element_tile = [1, 1, 1, 1],
  subgroup_strides = [0, 0, 0, 0], thread_strides = [0, 1, 2, 0]>
module attributes {lanewise.stage = "layout", lanewise.target = "sm_90"} {
  gpu.func @convert(%x: memref<16x2x16x1xf32>, %y: memref<16x2x16x1xf32>) kernel
      attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %a = vector.transfer_read %x[%c0, %c0, %c0, %c0], %p {in_bounds = [true, true, true, true], lanewise.layout = #A}
      : memref<16x2x16x1xf32>, vector<16x2x16x1xf32>
    %b = iree_vector_ext.to_layout %a to layout(#B) {lanewise.layout = #B} : vector<16x2x16x1xf32>
    vector.transfer_write %b, %y[%c0, %c0, %c0, %c0] {in_bounds = [true, true, true, true]}
        : vector<16x2x16x1xf32>, memref<16x2x16x1xf32>
    gpu.return
  }
}
// -----
// 5 of the register digits, 32 registers: 31 shuffles and 320 selects = 382 cycles; by 16 bytes through shared memory
// 16 accesses, 64 wavefronts and 2 barriers = 176 cycles.
// expect sm_90: conversions 1, shuffles 0, shared bytes 4096, barriers <= 1
// lanewise.args x = index(32, 1, 32, 1), y = empty(32, 1, 32, 1); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1, 1, 1], batch_tile = [1, 1, 32, 1], outer_tile = [1, 1, 1, 1], thread_tile = [32, 1, 1, 1],
  element_tile = [1, 1, 1, 1],
  subgroup_strides = [0, 0, 0, 0], thread_strides = [1, 0, 0, 0]>
#B = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1, 1, 1], batch_tile = [32, 1, 1, 1], outer_tile = [1, 1, 1, 1], thread_tile = [1, 1, 32, 1],
  element_tile = [1, 1, 1, 1],
  subgroup_strides = [0, 0, 0, 0], thread_strides = [0, 0, 1, 0]>
module attributes {lanewise.stage = "layout", lanewise.target = "sm_90"} {
  gpu.func @convert(%x: memref<32x1x32x1xf32>, %y: memref<32x1x32x1xf32>) kernel
      attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %a = vector.transfer_read %x[%c0, %c0, %c0, %c0], %p {in_bounds = [true, true, true, true], lanewise.layout = #A}
      : memref<32x1x32x1xf32>, vector<32x1x32x1xf32>
    %b = iree_vector_ext.to_layout %a to layout(#B) {lanewise.layout = #B} : vector<32x1x32x1xf32>
    vector.transfer_write %b, %y[%c0, %c0, %c0, %c0] {in_bounds = [true, true, true, true]}
        : vector<32x1x32x1xf32>, memref<32x1x32x1xf32>
    gpu.return
  }
}
// -----
// Halves go in words: 16 are packed into 8 words and taken apart again (8 + 16 packs), 6 shuffles, at most 2 * 2 * 8 = 32 selects:
// 66 to 68 cycles. Through shared memory 2 stores, 4 loads, 16 wavefronts and 2 barriers are 70.
// expect sm_90: conversions 1, shuffles 6, shared bytes 0, barriers 0
// lanewise.args x = index(4, 8, 4, 4), y = empty(4, 8, 4, 4); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1, 1, 1], batch_tile = [1, 1, 4, 1], outer_tile = [1, 1, 1, 1], thread_tile = [4, 8, 1, 1],
  element_tile = [1, 1, 1, 4],
  subgroup_strides = [0, 0, 0, 0], thread_strides = [8, 1, 0, 0]>
#B = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1, 1, 1], batch_tile = [4, 1, 1, 1], outer_tile = [1, 1, 1, 1], thread_tile = [1, 8, 4, 1],
  element_tile = [1, 1, 1, 4],
  subgroup_strides = [0, 0, 0, 0], thread_strides = [0, 1, 8, 0]>
module attributes {lanewise.stage = "layout", lanewise.target = "sm_90"} {
  gpu.func @convert(%x: memref<4x8x4x4xf16>, %y: memref<4x8x4x4xf16>) kernel
      attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f16
    %a = vector.transfer_read %x[%c0, %c0, %c0, %c0], %p {in_bounds = [true, true, true, true], lanewise.layout = #A}
      : memref<4x8x4x4xf16>, vector<4x8x4x4xf16>
    %b = iree_vector_ext.to_layout %a to layout(#B) {lanewise.layout = #B} : vector<4x8x4x4xf16>
    vector.transfer_write %b, %y[%c0, %c0, %c0, %c0] {in_bounds = [true, true, true, true]}
        : vector<4x8x4x4xf16>, memref<4x8x4x4xf16>
    gpu.return
  }
}
// -----
// Of one digit more 8 words take 7 shuffles, about 47 selects and 24 packs, 85 cycles; 2 stores, 8 loads, 16 wavefronts, 2 barriers
// and 2 addresses are 76, through 16 * 32 * 2 bytes.
// expect sm_90: conversions 1, shuffles 0, shared bytes 1024, barriers <= 1
// lanewise.args x = index(8, 4, 8, 2), y = empty(8, 4, 8, 2); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1, 1, 1], batch_tile = [1, 1, 8, 1], outer_tile = [1, 1, 1, 1], thread_tile = [8, 4, 1, 1],
  element_tile = [1, 1, 1, 2],
  subgroup_strides = [0, 0, 0, 0], thread_strides = [4, 1, 0, 0]>
#B = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1, 1, 1], batch_tile = [8, 1, 1, 1], outer_tile = [1, 1, 1, 1], thread_tile = [1, 4, 8, 1],
  element_tile = [1, 1, 1, 2],
  subgroup_strides = [0, 0, 0, 0], thread_strides = [0, 1, 4, 0]>
module attributes {lanewise.stage = "layout", lanewise.target = "sm_90"} {
  gpu.func @convert(%x: memref<8x4x8x2xf16>, %y: memref<8x4x8x2xf16>) kernel
      attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f16
    %a = vector.transfer_read %x[%c0, %c0, %c0, %c0], %p {in_bounds = [true, true, true, true], lanewise.layout = #A}
      : memref<8x4x8x2xf16>, vector<8x4x8x2xf16>
    %b = iree_vector_ext.to_layout %a to layout(#B) {lanewise.layout = #B} : vector<8x4x8x2xf16>
    vector.transfer_write %b, %y[%c0, %c0, %c0, %c0] {in_bounds = [true, true, true, true]}
        : vector<8x4x8x2xf16>, memref<8x4x8x2xf16>
    gpu.return
  }
}
// -----
// Bytes that are no neighbours afterwards: 7 shuffles and 47 selects are 61 cycles; a store of 8 bytes, 8 loads of one, 10
// wavefronts and 2 barriers are 61, too. At the same price nothing goes through shared memory.
// expect sm_90: conversions 1, shuffles 7, shared bytes 0, barriers 0
// lanewise.args x = index(8, 4, 8, 1), y = empty(8, 4, 8, 1); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1, 1, 1], batch_tile = [1, 1, 8, 1], outer_tile = [1, 1, 1, 1], thread_tile = [8, 4, 1, 1],
  element_tile = [1, 1, 1, 1],
  subgroup_strides = [0, 0, 0, 0], thread_strides = [4, 1, 0, 0]>
#B = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1, 1, 1], batch_tile = [8, 1, 1, 1], outer_tile = [1, 1, 1, 1], thread_tile = [1, 4, 8, 1],
  element_tile = [1, 1, 1, 1],
  subgroup_strides = [0, 0, 0, 0], thread_strides = [0, 1, 4, 0]>
module attributes {lanewise.stage = "layout", lanewise.target = "sm_90"} {
  gpu.func @convert(%x: memref<8x4x8x1xi8>, %y: memref<8x4x8x1xi8>) kernel
      attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0 : i8
    %a = vector.transfer_read %x[%c0, %c0, %c0, %c0], %p {in_bounds = [true, true, true, true], lanewise.layout = #A}
      : memref<8x4x8x1xi8>, vector<8x4x8x1xi8>
    %b = iree_vector_ext.to_layout %a to layout(#B) {lanewise.layout = #B} : vector<8x4x8x1xi8>
    vector.transfer_write %b, %y[%c0, %c0, %c0, %c0] {in_bounds = [true, true, true, true]}
        : vector<8x4x8x1xi8>, memref<8x4x8x1xi8>
    gpu.return
  }
}
// -----
// A column of 16 rows in each thread, stored four rows at once and loaded one by one: 4 + 32 accesses and 2 further addresses.
// As many wavefronts take 16 + 16 accesses, but those need 14 further addresses.
// expect sm_90: conversions 1, shared stores 4, shared loads 32
// lanewise.args x = index(32, 32), y = empty(32, 32); grid = 1
#A = #iree_vector_ext.nested_layout<
  subgroup_tile = [2, 1], batch_tile = [16, 1], outer_tile = [1, 1], thread_tile = [1, 32], element_tile = [1, 1],
  subgroup_strides = [1, 0], thread_strides = [0, 1]>
#B = #iree_vector_ext.nested_layout<
  subgroup_tile = [2, 1], batch_tile = [1, 8], outer_tile = [2, 2], thread_tile = [8, 2], element_tile = [1, 1],
  subgroup_strides = [1, 0], thread_strides = [2, 16]>
module attributes {lanewise.stage = "layout", lanewise.target = "sm_90"} {
  gpu.func @convert(%x: memref<32x32xf32>, %y: memref<32x32xf32>) kernel
      attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true], lanewise.layout = #A}
      : memref<32x32xf32>, vector<32x32xf32>
    %b = iree_vector_ext.to_layout %a to layout(#B) {lanewise.layout = #B} : vector<32x32xf32>
    vector.transfer_write %b, %y[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
    gpu.return
  }
}
