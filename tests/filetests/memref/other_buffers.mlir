// Buffers that share nothing, and one that grows: the first elements stay.
// test roundtrip
// test run
// test run target=gfx942
// test run target=sm_80
// test run target=gfx1100
// lanewise.args x = normal(64), y = empty(64); grid = 1
// expect sm_90: conversions 0
gpu.func @distinct(%x: memref<64xf32>, %y: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a, %b = memref.distinct_objects %x, %y : memref<64xf32>, memref<64xf32>
  %v = vector.transfer_read %a[%c0], %p : memref<64xf32>, vector<64xf32>
  vector.transfer_write %v, %b[%c0] : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
// prints ( 0, 1, 2, 3, 7, 7 )
// lanewise.args x = index(4); grid = 1
// expect sm_90: conversions 0
gpu.func @grown(%x: memref<4xi32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %p = arith.constant 0 : i32
  %sevens = arith.constant dense<7> : vector<2xi32>
  %small = memref.alloc() : memref<4xi32, #gpu.address_space<workgroup>>
  memref.copy %x, %small : memref<4xi32> to memref<4xi32, #gpu.address_space<workgroup>>
  %large = memref.realloc %small : memref<4xi32, #gpu.address_space<workgroup>> to memref<6xi32, #gpu.address_space<workgroup>>
  vector.transfer_write %sevens, %large[%c4] {in_bounds = [true]} : vector<2xi32>, memref<6xi32, #gpu.address_space<workgroup>>
  %v = vector.transfer_read %large[%c0], %p : memref<6xi32, #gpu.address_space<workgroup>>, vector<6xi32>
  vector.print %v : vector<6xi32>
  gpu.return
}
