// The greater number, which gfx12 has an instruction for, in memory of every kind; elsewhere it is compared and swapped. A NaN is
// passed over, and zero is above -0.
// test roundtrip
// test run target=gfx942
// test run target=gfx1201
// test run target=gfx1201 data=special
// Each of 64 threads updates three elements, once.
// expect gfx1201: atomics 192
// lanewise.args x = normal(64), g = normal(8), h = normal(8), s = empty(64) ; grid = 1
#space = #gpu.address_space<workgroup>
gpu.func @greatest(%x: memref<64xf32>, %g: memref<8xf32>, %h: memref<8xf32>, %s: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c7 = arith.constant 7 : i32
  %id = gpu.thread_id x
  %i = arith.index_cast %id : index to i32
  %at = arith.andi %i, %c7 : i32
  %n = arith.index_cast %at : i32 to index
  %v = memref.load %x[%id] : memref<64xf32>
  %0 = amdgpu.raw_buffer_atomic_fmax boundsCheck(true) %v -> %g[%at] : f32 -> memref<8xf32>, i32
  %1 = memref.atomic_rmw minnumf %v, %h[%n] : (f32, memref<8xf32>) -> f32
  %t = memref.alloc() : memref<64xf32, #space>
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %t[%id] : memref<64xf32, #space>
  gpu.barrier
  %2 = memref.atomic_rmw maxnumf %v, %t[%n] : (f32, memref<64xf32, #space>) -> f32
  gpu.barrier
  %w = memref.load %t[%id] : memref<64xf32, #space>
  memref.store %w, %s[%id] : memref<64xf32>
  gpu.return
}
