// test run target=gfx1100
// Sixteen bits of a lane mask as an operand.
// lanewise.args b1 = integers(-3, 3, 16, 32), b5 = integers(-3, 3, 32, 16, 32), b15 = empty(16); grid = 1
gpu.func @k(%b1: memref<?x?xi16>, %b5: memref<32x16x32xi16>, %b15: memref<16xi16>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %b2 = memref.alloc() : memref<25xi16, #gpu.address_space<workgroup>>
  %v1 = arith.constant 0 : index
  %v2 = arith.constant 0 : index
  %v3 = arith.constant -14415 : i16
  %v4 = vector.transfer_read %b1[%v1, %v2], %v3 : memref<?x?xi16>, vector<12x24xi16>
  %v5 = vector.extract %v4[%v2] : vector<24xi16> from vector<12x24xi16>
  %v7 = arith.constant 0 : index
  vector.transfer_write %v5, %b2[%v7] : vector<24xi16>, memref<25xi16, #gpu.address_space<workgroup>>
  %v21 = gpu.block_id x
  %v22 = arith.constant 24 : index
  %v23 = arith.muli %v21, %v22 : index
  %v24 = arith.constant 0 : index
  %v25 = gpu.block_id y
  %v26 = arith.constant 12 : index
  %v27 = arith.muli %v25, %v26 : index
  %v28 = arith.constant -6022 : i16
  %v29 = vector.transfer_read %b5[%v23, %v24, %v27], %v28 : memref<32x16x32xi16>, vector<24x3x12xi16>
  %v30 = arith.constant dense<-31216> : vector<3xi16>
  %v31 = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d2, d0, d1)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"], kind = #vector.kind<add>} %v4, %v29, %v30 : vector<12x24xi16>, vector<24x3x12xi16> into vector<3xi16>
  %v97 = iree_vector_ext.to_layout %v31 to layout(#iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [3], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>) : vector<3xi16>
  %v98 = gpu.block_id y
  %v99 = arith.constant 3 : index
  %v100 = arith.muli %v99, %v98 : index
  vector.transfer_write %v97, %b15[%v100] : vector<3xi16>, memref<16xi16>
  gpu.return
}
