// Rows that each thread writes, read in all other shapes from both halves of a subgroup's lanes.
// test run target=sm_100a
// lanewise.args x = integers(-99, 99, 128, 16), yl1 = zeros(128, 8), yu1 = zeros(128, 8), yl2 = zeros(128, 8), yu2 = zeros(128, 8), yl3 = zeros(128, 8), yu3 = zeros(128, 8) ; grid = 1
module attributes {lanewise.stage = "thread"} {
gpu.func @k(%x: memref<128x16xf32>, %yl1: memref<128x8xf32>, %yu1: memref<128x8xf32>, %yl2: memref<128x8xf32>, %yu2: memref<128x8xf32>, %yl3: memref<128x8xf32>, %yu3: memref<128x8xf32>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %t = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %slot = memref.alloc() : memref<1xi32, #gpu.address_space<workgroup>>
  %low = arith.cmpi ult, %t, %c32 : index
  %w = arith.divui %t, %c32 : index
  %lane = arith.muli %w, %c32 : index
  scf.if %low {
    lanewise.tcgen05.alloc %slot[%c0] {columns = 32 : i32} : memref<1xi32, #gpu.address_space<workgroup>>
  }
  gpu.barrier
  %d = lanewise.tcgen05.address %slot[%c0] : memref<1xi32, #gpu.address_space<workgroup>> -> !lanewise.tensor_memory<128x32xf32>
  %c16 = arith.constant 16 : index
  %upper = arith.addi %lane, %c16 : index
  %p = lanewise.tcgen05.part %d[%lane, %c0] : !lanewise.tensor_memory<128x32xf32> to !lanewise.tensor_memory<32x16xf32>
  %v = vector.load %x[%t, %c0] : memref<128x16xf32>, vector<16xf32>
  lanewise.tcgen05.st %v, %p {shape = "32x32b"} : vector<16xf32>, !lanewise.tensor_memory<32x16xf32>
  lanewise.tcgen05.wait_st
  %pl1 = lanewise.tcgen05.part %d[%lane, %c0] : !lanewise.tensor_memory<128x32xf32> to !lanewise.tensor_memory<16x16xf32>
  %ul1 = lanewise.tcgen05.ld %pl1 {shape = "16x64b"} : !lanewise.tensor_memory<16x16xf32> -> vector<8xf32>
  %vl1 = lanewise.tcgen05.wait_ld %ul1 : vector<8xf32>
  vector.store %vl1, %yl1[%t, %c0] : memref<128x8xf32>, vector<8xf32>
  %pu1 = lanewise.tcgen05.part %d[%upper, %c0] : !lanewise.tensor_memory<128x32xf32> to !lanewise.tensor_memory<16x16xf32>
  %uu1 = lanewise.tcgen05.ld %pu1 {shape = "16x64b"} : !lanewise.tensor_memory<16x16xf32> -> vector<8xf32>
  %vu1 = lanewise.tcgen05.wait_ld %uu1 : vector<8xf32>
  vector.store %vu1, %yu1[%t, %c0] : memref<128x8xf32>, vector<8xf32>
  %pl2 = lanewise.tcgen05.part %d[%lane, %c0] : !lanewise.tensor_memory<128x32xf32> to !lanewise.tensor_memory<16x16xf32>
  %ul2 = lanewise.tcgen05.ld %pl2 {shape = "16x128b"} : !lanewise.tensor_memory<16x16xf32> -> vector<8xf32>
  %vl2 = lanewise.tcgen05.wait_ld %ul2 : vector<8xf32>
  vector.store %vl2, %yl2[%t, %c0] : memref<128x8xf32>, vector<8xf32>
  %pu2 = lanewise.tcgen05.part %d[%upper, %c0] : !lanewise.tensor_memory<128x32xf32> to !lanewise.tensor_memory<16x16xf32>
  %uu2 = lanewise.tcgen05.ld %pu2 {shape = "16x128b"} : !lanewise.tensor_memory<16x16xf32> -> vector<8xf32>
  %vu2 = lanewise.tcgen05.wait_ld %uu2 : vector<8xf32>
  vector.store %vu2, %yu2[%t, %c0] : memref<128x8xf32>, vector<8xf32>
  %pl3 = lanewise.tcgen05.part %d[%lane, %c0] : !lanewise.tensor_memory<128x32xf32> to !lanewise.tensor_memory<16x16xf32>
  %ul3 = lanewise.tcgen05.ld %pl3 {shape = "16x256b"} : !lanewise.tensor_memory<16x16xf32> -> vector<8xf32>
  %vl3 = lanewise.tcgen05.wait_ld %ul3 : vector<8xf32>
  vector.store %vl3, %yl3[%t, %c0] : memref<128x8xf32>, vector<8xf32>
  %pu3 = lanewise.tcgen05.part %d[%upper, %c0] : !lanewise.tensor_memory<128x32xf32> to !lanewise.tensor_memory<16x16xf32>
  %uu3 = lanewise.tcgen05.ld %pu3 {shape = "16x256b"} : !lanewise.tensor_memory<16x16xf32> -> vector<8xf32>
  %vu3 = lanewise.tcgen05.wait_ld %uu3 : vector<8xf32>
  vector.store %vu3, %yu3[%t, %c0] : memref<128x8xf32>, vector<8xf32>
  lanewise.tcgen05.fence {kind = "before_thread_sync"}
  gpu.barrier
  scf.if %low {
    lanewise.tcgen05.dealloc %d {columns = 32 : i32} : !lanewise.tensor_memory<128x32xf32>
  }
  gpu.return
}
}
