// Rows of 16 lanes and halves of 32 on RDNA's chips.
// test roundtrip
// test run target=gfx1030
// test run target=gfx1100
// test run target=gfx1201
// test run target=gfx1250
// expect gfx1100: shuffles <= 3, barriers 0
// lanewise.args x = index(64), y = empty(3, 64)
gpu.func @rows(%x: memref<64xi16>, %y: memref<3x64xi16>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %own = memref.load %x[%id] : memref<64xi16>
  %c9 = arith.constant 9 : i16
  %0 = amdgpu.dpp %c9 %own row_shr(1 : i32) : i16
  %1 = amdgpu.dpp %c9 %own quad_perm([3 : i32, 2 : i32, 1 : i32, 0 : i32]) row_mask(1) : i16
  %2 = amdgpu.swizzle_bitmode %own 0 7 0 : i16
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  memref.store %0, %y[%c0, %id] : memref<3x64xi16>
  memref.store %1, %y[%c1, %id] : memref<3x64xi16>
  memref.store %2, %y[%c2, %id] : memref<3x64xi16>
  gpu.return
}
