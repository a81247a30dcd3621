// All threads of a workgroup join what they have. Small integers: every order gives the same bits.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// By subgroups, twice in a loop, so that the buffer serves again. A butterfly of five steps each, then the four sums of
// subgroups of 32, or two of 64, by a buffer and the barriers before and behind it.
// expect sm_90: shuffles 10, barriers 4, shared bytes <= 32
// expect gfx942: barriers 4, shared bytes <= 32
// lanewise.args x = integers(-8, 8, 128), y = empty(128, 3)
gpu.func @by_subgroups(%x: memref<128xi32>, %y: memref<128x3xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 2, 1>, lanewise.scope = "thread"} {
  %tx = gpu.thread_id x
  %ty = gpu.thread_id y
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %row = arith.muli %ty, %c64 : index
  %id = arith.addi %row, %tx : index
  %own = memref.load %x[%id] : memref<128xi32>
  scf.for %i = %c0 to %c2 step %c1 {
    %k = arith.index_cast %i : index to i32
    %v = arith.addi %own, %k : i32
    %s = gpu.all_reduce add %v uniform {} : (i32) -> (i32)
    memref.store %s, %y[%id, %i] : memref<128x3xi32>
  }
  %m = gpu.all_reduce maxsi %own {} : (i32) -> (i32)
  memref.store %m, %y[%id, %c2] : memref<128x3xi32>
  gpu.return
}

// -----

// No whole subgroups, and a way to join that has no name: by memory alone. One wave has no barriers.
// expect sm_90: shuffles 0, barriers <= 16
// expect gfx942: shuffles 0, barriers 0
// lanewise.args x = integers(-8, 8, 50), y = empty(50, 2)
gpu.func @by_halves(%x: memref<50xf32>, %y: memref<50x2xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 50, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %own = memref.load %x[%id] : memref<50xf32>
  %s = gpu.all_reduce add %own {} : (f32) -> (f32)
  memref.store %s, %y[%id, %c0] : memref<50x2xf32>
  %far = gpu.all_reduce %own {
  ^bb(%a : f32, %b : f32):
    %p = math.absf %a : f32
    %q = math.absf %b : f32
    %m = arith.maximumf %p, %q : f32
    gpu.yield %m : f32
  } : (f32) -> (f32)
  memref.store %far, %y[%id, %c1] : memref<50x2xf32>
  gpu.return
}

// -----

// Bytes whose number the launch decides: two views of them, one behind the other.
// lanewise.args x = index(64), y = empty(64)
// Behind the 32 floats of the one lie the 64 of the other: (32 + 64) * 4 bytes.
// expect sm_90: shared bytes 384
gpu.func @dynamic(%x: memref<64xf32>, %y: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %p = arith.constant 0.0 : f32
  %all = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
  %head = memref.view %all[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
  %v = vector.transfer_read %x[%c0], %p : memref<64xf32>, vector<64xf32>
  %h = vector.transfer_read %x[%c32], %p : memref<64xf32>, vector<32xf32>
  vector.transfer_write %h, %head[%c0] : vector<32xf32>, memref<32xf32, #gpu.address_space<workgroup>>
  %again = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
  %tail = memref.view %again[%c128][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64xf32, #gpu.address_space<workgroup>>
  vector.transfer_write %v, %tail[%c0] : vector<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  %back = vector.transfer_read %head[%c0], %p : memref<32xf32, #gpu.address_space<workgroup>>, vector<32xf32>
  vector.transfer_write %back, %y[%c0] : vector<32xf32>, memref<64xf32>
  %rest = vector.transfer_read %tail[%c0], %p : memref<64xf32, #gpu.address_space<workgroup>>, vector<32xf32>
  vector.transfer_write %rest, %y[%c32] : vector<32xf32>, memref<64xf32>
  gpu.return
}
