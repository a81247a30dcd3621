// test compile target=sm_80
#group = #gpu.address_space<workgroup>
gpu.func @f(%x: memref<256xf32>, %i: memref<64xi32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %s = memref.alloc() : memref<256xf32, #group>
  %a = memref.load %x[%c0] {lanewise.evict_priority = "last"} : memref<256xf32> // expected-error {{'lanewise.evict_priority' is one of evict_normal, evict_first, evict_last, evict_unchanged, no_allocate, as a string, found "last"}}
  %b = memref.load %x[%c0] {lanewise.evict_priority = 2 : i64} : memref<256xf32> // expected-error {{as a string, found 2 : i64}}
  %c = memref.load %s[%c0] {lanewise.evict_priority = "evict_last"} : memref<256xf32, #group> // expected-error {{is of buffers in global memory, found memref<256xf32, #gpu.address_space<workgroup>>}}
  %d = memref.load %x[%c0] nontemporal(true) {lanewise.evict_priority = "evict_last"} : memref<256xf32> // expected-error {{is nontemporal and has 'lanewise.evict_priority'}}
  %e = arith.addf %a, %b {lanewise.evict_priority = "evict_last"} : f32 // expected-error {{has 'lanewise.evict_priority', which is read of memref.load, memref.store}}
  memref.prefetch %x[%c0], read, locality<3>, data {lanewise.evict_priority = "evict_last"} : memref<256xf32> // expected-error {{is of the second level of cache: locality<3> asks for the first}}
  memref.prefetch %x[%c0], write, locality<3>, data {lanewise.evict_priority = "evict_first"} : memref<256xf32> // expected-error {{prefetches as evict_normal or evict_last, found evict_first}}
  gpu.return
}
