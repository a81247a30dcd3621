// Elements whose places a vector says: of any rank, masked, from both memories, in every scope.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// Each of 128 elements is one load; the index and the result are one access of a thread each.
// expect sm_90: loads <= 3, stores 1, barriers 0, conversions 0
// lanewise.args x = normal(4, 300), i = integers(-3, 290, 128), y = empty(128); grid = 1
gpu.func @one_dim(%x: memref<4x300xf32>, %i: memref<128xi32>, %y: memref<128xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %v = vector.load %i[%c0] : memref<128xi32>, vector<128xi32>
  %k = vector.constant_mask [128] : vector<128xi1>
  %p = arith.constant dense<0.0> : vector<128xf32>
  %a = vector.gather %x[%c2, %c3] [%v], %k, %p : memref<4x300xf32>, vector<128xi32>, vector<128xi1>, vector<128xf32> into vector<128xf32>
  vector.store %a, %y[%c0] : memref<128xf32>, vector<128xf32>
  gpu.return
}

// -----

// Two dims, indices of type index, a dynamic memref; what is masked off is far outside, and keeps what is given for it.
// lanewise.args x = normal(500), i = integers(-2000, 499, 16, 24), p = normal(16, 24), y = empty(16, 24); grid = 1
gpu.func @masked(%x: memref<?xf32>, %i: memref<16x24xi64>, %p: memref<16x24xf32>, %y: memref<16x24xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %w = vector.load %i[%c0, %c0] : memref<16x24xi64>, vector<16x24xi64>
  %zero = arith.constant dense<0> : vector<16x24xi64>
  %k = arith.cmpi sge, %w, %zero : vector<16x24xi64>
  %v = arith.index_cast %w : vector<16x24xi64> to vector<16x24xindex>
  %r = vector.load %p[%c0, %c0] : memref<16x24xf32>, vector<16x24xf32>
  %a = vector.gather %x[%c0] [%v], %k, %r alignment = 4 : memref<?xf32>, vector<16x24xindex>, vector<16x24xi1>, vector<16x24xf32> into vector<16x24xf32>
  vector.store %a, %y[%c0, %c0] : memref<16x24xf32>, vector<16x24xf32>
  gpu.return
}

// -----

// Out of workgroup memory, where another thread has written: one barrier. Halves, and a reversal.
// expect sm_90: barriers 1
// lanewise.args x = normal(256), y = empty(256); grid = 1
gpu.func @reversed(%x: memref<256xf16>, %y: memref<256xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %b = memref.alloc() : memref<256xf16, #gpu.address_space<workgroup>>
  %a = vector.load %x[%c0] : memref<256xf16>, vector<256xf16>
  vector.store %a, %b[%c0] : memref<256xf16, #gpu.address_space<workgroup>>, vector<256xf16>
  %s = vector.step : vector<256xindex>
  %last = arith.constant dense<255> : vector<256xindex>
  %v = arith.subi %last, %s : vector<256xindex>
  %k = vector.constant_mask [256] : vector<256xi1>
  %g = vector.gather %b[%c0] [%v], %k, %a : memref<256xf16, #gpu.address_space<workgroup>>, vector<256xindex>, vector<256xi1>, vector<256xf16> into vector<256xf16>
  vector.store %g, %y[%c0] : memref<256xf16>, vector<256xf16>
  gpu.return
}

// -----

// Of a subgroup, and of a thread.
// lanewise.args x = normal(100), i = integers(0, 99, 2, 40), y = normal(2, 40); grid = 1
gpu.func @subgroup(%x: memref<100xf32>, %i: memref<2x40xi32>, %y: memref<2x40xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "subgroup"} {
  %c0 = arith.constant 0 : index
  %g = gpu.subgroup_id : index
  %v = vector.load %i[%g, %c0] : memref<2x40xi32>, vector<40xi32>
  %k = vector.constant_mask [40] : vector<40xi1>
  %p = arith.constant dense<0.0> : vector<40xf32>
  %a = vector.gather %x[%c0] [%v], %k, %p : memref<100xf32>, vector<40xi32>, vector<40xi1>, vector<40xf32> into vector<40xf32>
  vector.store %a, %y[%g, %c0] : memref<2x40xf32>, vector<40xf32>
  gpu.return
}

// -----

// lanewise.args x = normal(100), i = integers(0, 99, 64, 3), y = empty(64, 3); grid = 1
gpu.func @thread(%x: memref<100xf32>, %i: memref<64x3xi32>, %y: memref<64x3xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  %v = vector.load %i[%t, %c0] : memref<64x3xi32>, vector<3xi32>
  %k = vector.constant_mask [2] : vector<3xi1>
  %p = arith.constant dense<-1.0> : vector<3xf32>
  %a = vector.gather %x[%c0] [%v], %k, %p : memref<100xf32>, vector<3xi32>, vector<3xi1>, vector<3xf32> into vector<3xf32>
  vector.store %a, %y[%t, %c0] : memref<64x3xf32>, vector<3xf32>
  gpu.return
}
// -----
// Under a region's mask, which counts besides its own: its pass_thru where either is off. Elements 0 to 3 are on in both.
// lanewise.args x = index(16), y = empty(8)
// prints ( 15, 3, 8, 1, -1, -1, -1, -1 )
gpu.func @under_a_mask(%x: memref<16xi32>, %y: memref<8xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %i = arith.constant dense<[15, 3, 8, 1, 99, 2, 0, 4]> : vector<8xindex>
  %own = arith.constant dense<[true, true, true, true, false, true, true, true]> : vector<8xi1>
  %m = vector.constant_mask [5] : vector<8xi1>
  %pass = arith.constant dense<-1> : vector<8xi32>
  %0 = vector.mask %m { vector.gather %x[%c0][%i], %own, %pass
      : memref<16xi32>, vector<8xindex>, vector<8xi1>, vector<8xi32> into vector<8xi32> } : vector<8xi1> -> vector<8xi32>
  vector.store %0, %y[%c0] : memref<8xi32>, vector<8xi32>
  vector.print %0 : vector<8xi32>
  gpu.return
}
// -----
// One place for all: a thread loads its number once where the rest is one, too; where each of the four elements has a rest and
// a mask of its own, four times. One load more for the rest, 16 bytes. Of the rest (0 1 2 3), 0 and 2 are off and stay.
// expect sm_90: loads 6
// lanewise.args x = index(16), r = index(4), y = empty(2, 4), n = 7; grid = 1
// prints ( 7, 7, 7, 7 )
// prints ( 0, 7, 2, 7 )
gpu.func @one_place(%x: memref<16xi32>, %r: memref<4xi32>, %y: memref<2x4xi32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  scf.if %first {
    %one = arith.constant dense<1> : vector<4xi32>
    %all = arith.constant dense<true> : vector<4xi1>
    %rest = vector.load %r[%c0] : memref<4xi32>, vector<4xi32>
    %bits = arith.andi %rest, %one : vector<4xi32>
    %odd = arith.cmpi eq, %bits, %one : vector<4xi32>
    %places = vector.broadcast %n : index to vector<4xindex>
    %0 = vector.gather %x[%c0][%places], %all, %one : memref<16xi32>, vector<4xindex>, vector<4xi1>, vector<4xi32> into vector<4xi32>
    %1 = vector.gather %x[%c0][%places], %odd, %rest : memref<16xi32>, vector<4xindex>, vector<4xi1>, vector<4xi32> into vector<4xi32>
    vector.print %0 : vector<4xi32>
    vector.print %1 : vector<4xi32>
  }
  gpu.return
}
