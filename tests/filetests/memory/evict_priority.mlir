// What data give way to in caches: loads, stores, transfers, elements, guarded or not, of memory of the whole grid.
// test roundtrip
// test run
// test run target=sm_75
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// lanewise.args x = index(256), y = empty(256), z = index(64), h = index(256), g = empty(256), n = 77
gpu.func @kept(%x: memref<256xf32>, %y: memref<256xf32>, %z: memref<64xi32>, %h: memref<256xf16>, %g: memref<256xf16>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %other = arith.constant dense<-1.0> : vector<256xf32>
  %m = vector.create_mask %n : vector<256xi1>
  memref.prefetch %h[%c3], read, locality<2>, data {lanewise.evict_priority = "evict_last"} : memref<256xf16>
  %v = vector.load %x[%c0] {lanewise.evict_priority = "evict_last"} : memref<256xf32>, vector<256xf32>
  %w = vector.maskedload %x[%c0], %m, %other {lanewise.evict_priority = "evict_first"} : memref<256xf32>, vector<256xi1>, vector<256xf32> into vector<256xf32>
  %r = vector.transfer_read %x[%c3], %zero {lanewise.evict_priority = "no_allocate"} : memref<256xf32>, vector<256xf32>
  %s = arith.addf %v, %w : vector<256xf32>
  %t = arith.addf %s, %r : vector<256xf32>
  vector.transfer_write %t, %y[%c0] {in_bounds = [true], lanewise.evict_priority = "evict_unchanged"} : vector<256xf32>, memref<256xf32>
  %e = memref.load %z[%c3] {lanewise.evict_priority = "evict_first"} : memref<64xi32>
  memref.store %e, %z[%c0] {lanewise.evict_priority = "evict_normal"} : memref<64xi32>
  %f = vector.load %h[%c0] {lanewise.evict_priority = "evict_last"} : memref<256xf16>, vector<256xf16>
  vector.maskedstore %g[%c0], %m, %f {lanewise.evict_priority = "evict_last"} : memref<256xf16>, vector<256xi1>, vector<256xf16>
  gpu.return
}
