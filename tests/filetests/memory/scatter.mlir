// Elements to places that a vector says, in their order: of those that go to one place, the last one stays.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// 128 elements for 20 places, in four subgroups: all threads' indices are compared.
// lanewise.args x = normal(128), i = integers(-1, 18, 128), y = normal(3, 32); grid = 1
gpu.func @crowded(%x: memref<128xf32>, %i: memref<128xi32>, %y: memref<3x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = vector.load %i[%c0] : memref<128xi32>, vector<128xi32>
  %a = vector.load %x[%c0] : memref<128xf32>, vector<128xf32>
  %k = vector.constant_mask [128] : vector<128xi1>
  vector.scatter %y[%c1, %c1] [%v], %k, %a : memref<3x32xf32>, vector<128xi32>, vector<128xi1>, vector<128xf32>
  gpu.return
}

// -----

// Two dims, several elements a thread, twice as many threads as elements of a row; what is masked off hides nothing.
// lanewise.args x = normal(12, 32), i = integers(-9, 9, 12, 32), y = normal(64); grid = 2
gpu.func @masked(%x: memref<12x32xf32>, %i: memref<12x32xi64>, %y: memref<?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %b = gpu.block_id x
  %at = arith.muli %b, %c32 : index
  %w = vector.load %i[%c0, %c0] : memref<12x32xi64>, vector<12x32xi64>
  %zero = arith.constant dense<0> : vector<12x32xi64>
  %k = arith.cmpi sge, %w, %zero : vector<12x32xi64>
  %a = vector.load %x[%c0, %c0] : memref<12x32xf32>, vector<12x32xf32>
  vector.scatter %y[%at] [%w], %k, %a : memref<?xf32>, vector<12x32xi64>, vector<12x32xi1>, vector<12x32xf32>
  gpu.return
}

// -----

// Places that are known to differ: nothing is compared. Read back by other threads: one barrier.
// expect sm_90: barriers 1, shared loads 1, shuffles 0
// lanewise.args x = normal(128), y = empty(128); grid = 1
gpu.func @reversed(%x: memref<128xf32>, %y: memref<128xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %b = memref.alloc() : memref<128xf32, #gpu.address_space<workgroup>>
  %a = vector.load %x[%c0] : memref<128xf32>, vector<128xf32>
  %s = vector.step : vector<128xindex>
  %last = arith.constant dense<127> : vector<128xindex>
  %v = arith.subi %last, %s : vector<128xindex>
  %k = vector.constant_mask [128] : vector<128xi1>
  vector.scatter %b[%c0] [%v], %k, %a : memref<128xf32, #gpu.address_space<workgroup>>, vector<128xindex>, vector<128xi1>, vector<128xf32>
  %g = vector.load %b[%c0] : memref<128xf32, #gpu.address_space<workgroup>>, vector<128xf32>
  vector.store %g, %y[%c0] : memref<128xf32>, vector<128xf32>
  gpu.return
}

// -----

// Of a subgroup: lanes ask each other. 40 elements in 32 lanes, some of them repeated.
// expect sm_90: barriers 0, shared loads 0
// lanewise.args x = normal(2, 40), i = integers(0, 9, 2, 40), y = normal(2, 16); grid = 1
gpu.func @subgroup(%x: memref<2x40xf32>, %i: memref<2x40xi32>, %y: memref<2x16xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "subgroup"} {
  %c0 = arith.constant 0 : index
  %g = gpu.subgroup_id : index
  %v = vector.load %i[%g, %c0] : memref<2x40xi32>, vector<40xi32>
  %a = vector.load %x[%g, %c0] : memref<2x40xf32>, vector<40xf32>
  %k = vector.constant_mask [39] : vector<40xi1>
  vector.scatter %y[%g, %c0] [%v], %k, %a : memref<2x16xf32>, vector<40xi32>, vector<40xi1>, vector<40xf32>
  gpu.return
}

// -----

// Of a thread: its stores are in their order.
// expect sm_90: barriers 0, stores 6, loop instructions 0
// lanewise.args x = normal(64, 6), i = integers(0, 3, 64, 6), y = normal(64, 4); grid = 1
gpu.func @thread(%x: memref<64x6xf32>, %i: memref<64x6xi32>, %y: memref<64x4xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  %v = vector.load %i[%t, %c0] : memref<64x6xi32>, vector<6xi32>
  %a = vector.load %x[%t, %c0] : memref<64x6xf32>, vector<6xf32>
  %k = vector.constant_mask [6] : vector<6xi1>
  vector.scatter %y[%t, %c0] [%v], %k, %a : memref<64x4xf32>, vector<6xi32>, vector<6xi1>, vector<6xf32>
  gpu.return
}
