// Lanes that read other lanes by the instruction that the program names.
// test roundtrip
// test run target=gfx90a
// test run target=gfx942
// test run target=gfx950
// Each is one instruction for a word: nine, two for four halves, two for a number of 64 bits.
// expect gfx942: shuffles 13, barriers 0
// lanewise.args x = index(64), y = empty(9, 64), h = index(64, 4), z = empty(64, 4), d = index(64), e = empty(64)
gpu.func @gfx9(%x: memref<64xf32>, %y: memref<9x64xf32>, %h: memref<64x4xf16>, %z: memref<64x4xf16>, %d: memref<64xi64>,
    %e: memref<64xi64>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %own = memref.load %x[%id] : memref<64xf32>
  %old = arith.constant -1.0 : f32
  %c0 = arith.constant 0 : index
  %0 = amdgpu.dpp %old %own quad_perm([1 : i32, 0 : i32, 3 : i32, 2 : i32]) : f32
  %1 = amdgpu.dpp %old %own row_shl(3 : i32) row_mask(5) : f32
  %2 = amdgpu.dpp %old %own row_shr(2 : i32) bank_mask(6) bound_ctrl(true) : f32
  %3 = amdgpu.dpp %old %own row_ror(5 : i32) : f32
  %4 = amdgpu.dpp %old %own row_mirror : f32
  %5 = amdgpu.dpp %old %own row_half_mirror : f32
  %6 = amdgpu.dpp %old %own wave_shr : f32
  %7 = amdgpu.dpp %old %own row_bcast_15 row_mask(10) : f32
  %8 = amdgpu.swizzle_bitmode %own 29 2 4 : f32
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  memref.store %0, %y[%c0, %id] : memref<9x64xf32>
  memref.store %1, %y[%c1, %id] : memref<9x64xf32>
  memref.store %2, %y[%c2, %id] : memref<9x64xf32>
  memref.store %3, %y[%c3, %id] : memref<9x64xf32>
  memref.store %4, %y[%c4, %id] : memref<9x64xf32>
  memref.store %5, %y[%c5, %id] : memref<9x64xf32>
  memref.store %6, %y[%c6, %id] : memref<9x64xf32>
  memref.store %7, %y[%c7, %id] : memref<9x64xf32>
  memref.store %8, %y[%c8, %id] : memref<9x64xf32>
  %half = vector.load %h[%id, %c0] : memref<64x4xf16>, vector<4xf16>
  %halves = amdgpu.swizzle_bitmode %half 31 0 16 : vector<4xf16>
  vector.store %halves, %z[%id, %c0] : memref<64x4xf16>, vector<4xf16>
  %wide = memref.load %d[%id] : memref<64xi64>
  %last = amdgpu.dpp %wide %wide row_bcast_31 : i64
  memref.store %last, %e[%id] : memref<64xi64>
  gpu.return
}

// -----

// Waves that go round.
// lanewise.args x = index(64), y = empty(3, 64)
gpu.func @around(%x: memref<64xi32>, %y: memref<3x64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %own = memref.load %x[%id] : memref<64xi32>
  %0 = amdgpu.dpp %own %own wave_rol : i32
  %1 = amdgpu.dpp %own %own wave_ror : i32
  %2 = amdgpu.dpp %own %own wave_shl bound_ctrl(true) : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  memref.store %0, %y[%c0, %id] : memref<3x64xi32>
  memref.store %1, %y[%c1, %id] : memref<3x64xi32>
  memref.store %2, %y[%c2, %id] : memref<3x64xi32>
  gpu.return
}

// -----

// The barrier of older programs: what one wave has written the other one reads.
// expect gfx942: barriers 1
// lanewise.args x = index(128), y = empty(128)
gpu.func @handed_over(%x: memref<128xf32>, %y: memref<128xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %c127 = arith.constant 127 : index
  %tile = memref.alloc() : memref<128xf32, #gpu.address_space<workgroup>>
  %own = memref.load %x[%id] : memref<128xf32>
  memref.store %own, %tile[%id] : memref<128xf32, #gpu.address_space<workgroup>>
  amdgpu.lds_barrier
  %at = arith.subi %c127, %id : index
  %other = memref.load %tile[%at] : memref<128xf32, #gpu.address_space<workgroup>>
  memref.store %other, %y[%id] : memref<128xf32>
  gpu.return
}
