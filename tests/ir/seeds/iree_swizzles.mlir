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
