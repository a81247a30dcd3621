// Accesses that make a raw buffer for themselves: outside of it zeros are read, and nothing is written or updated.
// test roundtrip
// test run target=gfx90a
// test run target=gfx942
// test run target=gfx950
// test run target=gfx1030
// test run target=gfx1100
// test run target=gfx1201
// One instruction each, of sixteen bytes: the constants are part of it.
// expect gfx942: loads 1, stores 1, divergent branches 0, instructions <= 16
// lanewise.args x = index(8, 16), y = empty(8, 16)
gpu.func @rows(%x: memref<8x16xf32>, %y: memref<8x16xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %i = arith.index_cast %id : index to i32
  %c1 = arith.constant 1 : i32
  %v = amdgpu.raw_buffer_load boundsCheck(true) %x[%i, %c1] indexOffset(3) sgprOffset(%c1) : memref<8x16xf32>, i32, i32 -> vector<4xf32>
  amdgpu.raw_buffer_store boundsCheck(true) %v -> %y[%i, %c1] : vector<4xf32> -> memref<8x16xf32>, i32, i32
  gpu.return
}

// -----

// Numbers from memory may be negative: element -3 + 4 is inside, -5 + 4 is not; 30 and 31 are halves of a vector at 30,
// of which behind it there is nothing.
// lanewise.args x = index(32), n = integers(-6, 40), y = empty(8), z = empty(8, 4)
gpu.func @anywhere(%x: memref<32xf32>, %n: memref<8xi32>, %y: memref<8xf32>, %z: memref<8x4xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 8, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %i = memref.load %n[%id] : memref<8xi32>
  %c4 = arith.constant 4 : i32
  %j = arith.addi %i, %c4 : i32
  %v = amdgpu.raw_buffer_load boundsCheck(true) %x[%j] : memref<32xf32>, i32 -> f32
  memref.store %v, %y[%id] : memref<8xf32>
  %w = amdgpu.raw_buffer_load boundsCheck(true) %x[%i] indexOffset(7) : memref<32xf32>, i32 -> vector<4xf32>
  %c0 = arith.constant 0 : index
  vector.store %w, %z[%id, %c0] : memref<8x4xf32>, vector<4xf32>
  gpu.return
}

// -----

// Short elements, and the form of older texts: an offset in a memref's type is where its resource begins.
// lanewise.args x = index(40), y = empty(32), b = index(20), c = empty(20)
gpu.func @short(%x: memref<40xf16> {llvm.align = 4 : i64}, %y: memref<32xf16> {llvm.align = 4 : i64},
    %b: memref<20xi8> {llvm.align = 4 : i64}, %c: memref<20xi8> {llvm.align = 4 : i64}) kernel
    attributes {gpu.known_block_size = array<i32: 8, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %i = arith.index_cast %id : index to i32
  %c4 = arith.constant 4 : i32
  %at = arith.muli %i, %c4 : i32
  %part = memref.subview %x[8] [24] [1] : memref<40xf16> to memref<24xf16, strided<[1], offset: 8>>
  %v = amdgpu.raw_buffer_load {boundsCheck = true, indexOffset = 4 : i32} %part[%at] : memref<24xf16, strided<[1], offset: 8>>, i32 -> vector<4xf16>
  amdgpu.raw_buffer_store {boundsCheck = true} %v -> %y[%at] : vector<4xf16> -> memref<32xf16>, i32
  %q = amdgpu.raw_buffer_load %b[%at] sgprOffset %c4 : memref<20xi8>, i32 -> vector<4xi8>
  amdgpu.raw_buffer_store %q -> %c[%at] sgprOffset %c4 : vector<4xi8> -> memref<20xi8>, i32
  gpu.return
}

// -----

// lanewise.args x = index(), y = empty()
gpu.func @single(%x: memref<i32>, %y: memref<i32>) kernel
    attributes {gpu.known_block_size = array<i32: 4, 1, 1>, lanewise.scope = "thread"} {
  %v = amdgpu.raw_buffer_load boundsCheck(false) %x[] : memref<i32> -> i32
  %one = arith.constant 1 : i32
  %none = amdgpu.raw_buffer_load boundsCheck(true) %x[] indexOffset(1) : memref<i32> -> i32
  %sum = arith.addi %v, %none : i32
  amdgpu.raw_buffer_store boundsCheck(true) %sum -> %y[] : i32 -> memref<i32>
  gpu.return
}

// -----

// 64 threads, four for each of eight elements, and for eight behind them: 32 updates of each of four buffers, and more.
// expect gfx942: atomics >= 128, barriers 0
// lanewise.args s = integers(0, 9), u = integers(0, 9), f = integers(0, 9), g = integers(0, 9), h = integers(0, 9), p = empty(64)
gpu.func @updates(%s: memref<8xi32>, %u: memref<8xi32>, %f: memref<8xf32>, %g: memref<8xf32>, %h: memref<16xf16> {llvm.align = 4 : i64}, %p: memref<64xi32>)
    kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %i = arith.index_cast %id : index to i32
  %c15 = arith.constant 15 : i32
  %at = arith.andi %i, %c15 : i32
  %x = arith.sitofp %i : i32 to f32
  %c3 = arith.constant 3 : i32
  %n = arith.subi %c3, %i : i32
  %0 = amdgpu.raw_buffer_atomic_smax boundsCheck(true) %i -> %s[%at] : i32 -> memref<8xi32>, i32
  %1 = amdgpu.raw_buffer_atomic_umin boundsCheck(true) %n -> %u[%at] : i32 -> memref<8xi32>, i32
  %2 = amdgpu.raw_buffer_atomic_fadd boundsCheck(true) %x -> %f[%at] : f32 -> memref<8xf32>, i32
  %3 = amdgpu.raw_buffer_atomic_fmax boundsCheck(true) %x -> %g[%at] : f32 -> memref<8xf32>, i32
  %one = arith.constant dense<[1.0, 2.0]> : vector<2xf16>
  %c2 = arith.constant 2 : i32
  %pair = arith.muli %at, %c2 : i32
  %4 = amdgpu.raw_buffer_atomic_fadd boundsCheck(true) %one -> %h[%pair] : vector<2xf16> -> memref<16xf16>, i32
  // Nobody updates p but its own thread: 63 of them find nothing there, behind the 64 elements is zero.
  memref.store %i, %p[%id] : memref<64xi32>
  %new = arith.addi %i, %c15 : i32
  %5 = amdgpu.raw_buffer_atomic_cmpswap boundsCheck(true) %new, %i -> %p[%i] : i32 -> memref<64xi32>, i32
  %6 = amdgpu.raw_buffer_atomic_cmpswap boundsCheck(true) %c15, %c3 -> %p[%i] indexOffset(64) : i32 -> memref<64xi32>, i32
  %again = arith.addi %5, %6 : i32
  %7 = amdgpu.raw_buffer_atomic_cmpswap boundsCheck(true) %again, %new -> %p[%i] : i32 -> memref<64xi32>, i32
  gpu.return
}
