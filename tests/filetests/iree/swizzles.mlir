// Swizzles change where elements lie, and nothing that a program sees. A tile of 64x64 words passes 32 banks 32 words at a
// time: 128 wavefronts each way where nothing conflicts. Columns of a row-major tile of 64 words a row lie in one bank.
// test run
// expect sm_90: wavefronts 256, bank conflicts 0, shared bytes 16384
// expect gfx942: shared bytes 16384
// lanewise.args x = index(64, 64), y = empty(64, 64) ; grid = 1
#lines = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [32, 1], outer_tile = [1, 1], thread_tile = [2, 64], element_tile = [1, 1],
  subgroup_strides = [0, 0], thread_strides = [64, 1]>
#map = affine_map<(i, j) -> (j, i)>
gpu.func @exclusive_or(%x: memref<64x64xf32>, %y: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<64x64xf32, #gpu.address_space<workgroup>>
  %t = iree_codegen.swizzle_hint %s[#iree_codegen.xor_shuffle<32, 1, 64>] : memref<64x64xf32, #gpu.address_space<workgroup>>
  %v = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %w = iree_vector_ext.to_layout %v to layout(#lines) : vector<64x64xf32>
  vector.transfer_write %w, %t[%c0, %c0] {in_bounds = [true, true]}
      : vector<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
  %a = vector.transfer_read %t[%c0, %c0], %p {in_bounds = [true, true], permutation_map = #map}
      : memref<64x64xf32, #gpu.address_space<workgroup>>, vector<64x64xf32>
  %b = iree_vector_ext.to_layout %a to layout(#lines) : vector<64x64xf32>
  vector.transfer_write %b, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// The same by rotation, of a flat buffer; its 64 words fall on 32 banks.
// expect sm_90: wavefronts 256, bank conflicts 0
// lanewise.args x = index(64, 64), y = empty(64, 64) ; grid = 1
#lines = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [32, 1], outer_tile = [1, 1], thread_tile = [2, 64], element_tile = [1, 1],
  subgroup_strides = [0, 0], thread_strides = [64, 1]>
#map = affine_map<(i, j) -> (j, i)>
gpu.func @rotated(%x: memref<64x64xf32>, %y: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<4096xf32, #gpu.address_space<workgroup>>
  %h = iree_codegen.swizzle_hint %s[#iree_codegen.rotate_rows<64, 1>] : memref<4096xf32, #gpu.address_space<workgroup>>
  %t = memref.expand_shape %h [[0, 1]] output_shape [64, 64]
      : memref<4096xf32, #gpu.address_space<workgroup>> into memref<64x64xf32, #gpu.address_space<workgroup>>
  %v = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %w = iree_vector_ext.to_layout %v to layout(#lines) : vector<64x64xf32>
  vector.transfer_write %w, %t[%c0, %c0] {in_bounds = [true, true]}
      : vector<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
  %a = vector.transfer_read %t[%c0, %c0], %p {in_bounds = [true, true], permutation_map = #map}
      : memref<64x64xf32, #gpu.address_space<workgroup>>, vector<64x64xf32>
  %b = iree_vector_ext.to_layout %a to layout(#lines) : vector<64x64xf32>
  vector.transfer_write %b, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// Accesses of 8 halves (16 bytes) stay whole, over boxes of 64 halves as the tensor cores of sm_90a have them: 16 KiB.
// To be written by rows, columns go through shared memory once more, in the same bytes.
// expect sm_90: wavefronts 512, bank conflicts 0, shared bytes 16384, conversions 1
// lanewise.args x = integers(-9, 9, 64, 128), y = empty(64, 128) ; grid = 1
#rows = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [8, 1], outer_tile = [1, 1], thread_tile = [8, 16], element_tile = [1, 8],
  subgroup_strides = [0, 0], thread_strides = [16, 1]>
#columns = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [1, 8], outer_tile = [1, 1], thread_tile = [64, 2], element_tile = [1, 8],
  subgroup_strides = [0, 0], thread_strides = [1, 64]>
gpu.func @boxes(%x: memref<64x128xf16>, %y: memref<64x128xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %t = memref.alloc() {lanewise.box = 64 : i64, iree_codegen.swizzle = #iree_codegen.xor_shuffle<64, 8>}
      : memref<64x128xf16, #gpu.address_space<workgroup>>
  %v = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x128xf16>, vector<64x128xf16>
  %w = iree_vector_ext.to_layout %v to layout(#rows) : vector<64x128xf16>
  vector.transfer_write %w, %t[%c0, %c0] {in_bounds = [true, true]}
      : vector<64x128xf16>, memref<64x128xf16, #gpu.address_space<workgroup>>
  %a = vector.transfer_read %t[%c0, %c0], %p {in_bounds = [true, true]}
      : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<64x128xf16>
  %b = iree_vector_ext.to_layout %a to layout(#columns) : vector<64x128xf16>
  vector.transfer_write %b, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x128xf16>, memref<64x128xf16>
  gpu.return
}
