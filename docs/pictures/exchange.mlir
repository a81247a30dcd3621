// What docs/drawing.md draws: a vector that changes its layout, and a buffer whose rows are mixed.
// lanewise.args x = normal(16, 8), y = empty(16, 8), s = normal(8, 64), t = empty(8, 64) ; grid = 1
#rows = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 1], thread_tile = [8, 4], element_tile = [1, 2],
  subgroup_strides = [0, 0], thread_strides = [4, 1]>
#wide = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [16, 2], element_tile = [1, 4],
  subgroup_strides = [0, 0], thread_strides = [2, 1]>

gpu.func @exchange(%x: memref<16x8xf32>, %y: memref<16x8xf32>, %s: memref<8x64xf16>, %t: memref<8x64xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %half = arith.constant 0.0 : f16
  %a = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, true]} : memref<16x8xf32>, vector<16x8xf32>
  %held = iree_vector_ext.to_layout %a to layout(#rows) : vector<16x8xf32>
  %twice = arith.addf %held, %held : vector<16x8xf32>
  %moved = iree_vector_ext.to_layout %twice to layout(#wide) : vector<16x8xf32>
  vector.transfer_write %moved, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>

  %tile = memref.alloc() {iree_codegen.swizzle = #iree_codegen.xor_shuffle<64, 8>}
    : memref<8x64xf16, #gpu.address_space<workgroup>>
  %in = vector.transfer_read %s[%c0, %c0], %half {in_bounds = [true, true]} : memref<8x64xf16>, vector<8x64xf16>
  vector.transfer_write %in, %tile[%c0, %c0] {in_bounds = [true, true]}
    : vector<8x64xf16>, memref<8x64xf16, #gpu.address_space<workgroup>>
  gpu.barrier
  %out = vector.transfer_read %tile[%c0, %c0], %half {in_bounds = [true, true]}
    : memref<8x64xf16, #gpu.address_space<workgroup>>, vector<8x64xf16>
  vector.transfer_write %out, %t[%c0, %c0] {in_bounds = [true, true]} : vector<8x64xf16>, memref<8x64xf16>
  gpu.return
}
