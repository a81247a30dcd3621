// Buffers that are reached through a resource: what does not count is read as zero, and dropped where it is written.
// test roundtrip
// test run target=gfx90a
// test run target=gfx942
// test run target=gfx950
// test run target=gfx1030
// test run target=gfx1100
// test run target=gfx1201
// 40 of 64 bytes count of x, 44 of y: of the sixteen numbers that y gets the last five are left as they were.
// lanewise.args x = index(16), y = empty(16), n = 40, m = 44
gpu.func @counted(%x: memref<16xf32>, %y: memref<16xf32>, %n: i64, %m: i64) kernel
    attributes {gpu.known_block_size = array<i32: 16, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %a = amdgpu.fat_raw_buffer_cast %x validBytes(%n) : memref<16xf32> to memref<16xf32, #amdgpu.address_space<fat_raw_buffer>>
  %b = amdgpu.fat_raw_buffer_cast %y validBytes(%m) resetOffset
    : memref<16xf32> to memref<16xf32, #amdgpu.address_space<fat_raw_buffer>>
  %own = memref.load %a[%id] : memref<16xf32, #amdgpu.address_space<fat_raw_buffer>>
  memref.store %own, %b[%id] : memref<16xf32, #amdgpu.address_space<fat_raw_buffer>>
  gpu.return
}

// -----

// The place decides, not the index: element 5 of row 0 is element 1 of row 1, one before the buffer or 2^30 of them on are
// none, and a fourth of the number of 2^32 bytes away is the same element.
// lanewise.args x = index(3, 4), y = empty(8)
gpu.func @places(%x: memref<3x4xf32>, %y: memref<8xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 1, 1, 1>, lanewise.scope = "thread"} {
  %a = amdgpu.fat_raw_buffer_cast %x : memref<3x4xf32> to memref<3x4xf32, #amdgpu.address_space<fat_raw_buffer>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %before = arith.constant -1 : index
  %far = arith.constant 1000000000 : index
  %around = arith.constant 1073741827 : index
  %0 = memref.load %a[%c0, %c5] : memref<3x4xf32, #amdgpu.address_space<fat_raw_buffer>>
  %1 = memref.load %a[%c0, %before] : memref<3x4xf32, #amdgpu.address_space<fat_raw_buffer>>
  %2 = memref.load %a[%c0, %far] : memref<3x4xf32, #amdgpu.address_space<fat_raw_buffer>>
  %3 = memref.load %a[%c0, %around] : memref<3x4xf32, #amdgpu.address_space<fat_raw_buffer>>
  %4 = vector.load %a[%c2, %c2] : memref<3x4xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<4xf32>
  memref.store %0, %y[%c0] : memref<8xf32>
  memref.store %1, %y[%c1] : memref<8xf32>
  memref.store %2, %y[%c2] : memref<8xf32>
  memref.store %3, %y[%c3] : memref<8xf32>
  %c4 = arith.constant 4 : index
  vector.store %4, %y[%c4] : memref<8xf32>, vector<4xf32>
  gpu.return
}

// -----

// A workgroup's vectors: outside the memref there is padding, inside what there is.
// Lanes that have nothing to read or write point behind the buffer: no branch.
// expect gfx942: divergent branches 0, barriers 0
// expect gfx1100: divergent branches 0, barriers 0
// lanewise.args x = index(7, 33), y = empty(7, 33)
gpu.func @transferred(%x: memref<7x33xf16>, %y: memref<7x33xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %a = amdgpu.fat_raw_buffer_cast %x : memref<7x33xf16> to memref<7x33xf16, #amdgpu.address_space<fat_raw_buffer>>
  %b = amdgpu.fat_raw_buffer_cast %y : memref<7x33xf16> to memref<7x33xf16, #amdgpu.address_space<fat_raw_buffer>>
  %c0 = arith.constant 0 : index
  %pad = arith.constant 3.0 : f16
  %v = vector.transfer_read %a[%c0, %c0], %pad : memref<7x33xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8x64xf16>
  %w = arith.addf %v, %v : vector<8x64xf16>
  vector.transfer_write %w, %b[%c0, %c0] : vector<8x64xf16>, memref<7x33xf16, #amdgpu.address_space<fat_raw_buffer>>
  gpu.return
}

// -----

// Rows of a part: its offset belongs to where the resource begins, so that indices before it are outside.
// lanewise.args x = index(6, 8), y = empty(4, 4), o = 17
gpu.func @parts(%x: memref<6x8xi32>, %y: memref<4x4xi32>, %o: index) kernel
    attributes {gpu.known_block_size = array<i32: 4, 4, 1>, lanewise.scope = "thread"} {
  %part = memref.reinterpret_cast %x to offset: [%o], sizes: [3, 4], strides: [8, 1]
    : memref<6x8xi32> to memref<3x4xi32, strided<[8, 1], offset: ?>>
  %a = amdgpu.fat_raw_buffer_cast %part resetOffset
    : memref<3x4xi32, strided<[8, 1], offset: ?>> to memref<3x4xi32, strided<[8, 1]>, #amdgpu.address_space<fat_raw_buffer>>
  %row = gpu.thread_id y
  %column = gpu.thread_id x
  %c1 = arith.constant 1 : index
  %before = arith.subi %row, %c1 : index
  %v = memref.load %a[%before, %column] : memref<3x4xi32, strided<[8, 1]>, #amdgpu.address_space<fat_raw_buffer>>
  memref.store %v, %y[%row, %column] : memref<4x4xi32>
  gpu.return
}

// -----

// Without it the offset stays, and everything before the part counts, too: 12 rows of two, of which the first is none.
// lanewise.args x = index(32), y = empty(12), z = index(4)
gpu.func @offset(%x: memref<32xi32>, %y: memref<12xi32>, %z: memref<4xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 12, 1, 1>, lanewise.scope = "thread"} {
  %part = memref.subview %x[4] [12] [2] : memref<32xi32> to memref<12xi32, strided<[2], offset: 4>>
  %a = amdgpu.fat_raw_buffer_cast %part
    : memref<12xi32, strided<[2], offset: 4>> to memref<12xi32, strided<[2], offset: 4>, #amdgpu.address_space<fat_raw_buffer>>
  %id = gpu.thread_id x
  %c3 = arith.constant 3 : index
  %at = arith.subi %id, %c3 : index
  %v = memref.load %a[%at] : memref<12xi32, strided<[2], offset: 4>, #amdgpu.address_space<fat_raw_buffer>>
  memref.store %v, %y[%id] : memref<12xi32>
  %b = amdgpu.fat_raw_buffer_cast %z : memref<4xi32> to memref<4xi32, #amdgpu.address_space<fat_raw_buffer>>
  %one = arith.constant 1 : i32
  %old = memref.atomic_rmw addi %one, %b[%at] : (i32, memref<4xi32, #amdgpu.address_space<fat_raw_buffer>>) -> i32
  gpu.return
}

// -----

// A cache of gfx942 or gfx950 has lines elsewhere, and a program promises to stay inside, which RDNA need not look at.
// lanewise.args x = index(64), y = empty(64), s = 256
gpu.func @unchecked(%x: memref<64xf32>, %y: memref<64xf32>, %s: i32) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %stride = arith.trunci %s : i32 to i14
  %a = amdgpu.fat_raw_buffer_cast %x cacheSwizzleStride(%stride) boundsCheck(false)
    : memref<64xf32> to memref<64xf32, #amdgpu.address_space<fat_raw_buffer>>
  %id = gpu.thread_id x
  %v = memref.load %a[%id] : memref<64xf32, #amdgpu.address_space<fat_raw_buffer>>
  memref.store %v, %y[%id] : memref<64xf32>
  gpu.return
}
