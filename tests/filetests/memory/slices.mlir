// Loads and stores of a whole workgroup: rows of a tile, with the vector's dims the last of the memref's.
// test roundtrip
// test run data=written,exact
// test run target=gfx942
// test run target=gfx1100
// A line is read and written once, four elements an access: 2 * 8 * 64 * 4 / 32 sectors, 512 / 4 threads of 128.
// expect sm_90: loads 1, stores 1, sectors 128, barriers 0, conversions 0
// expect gfx942: loads 1, stores 1, sectors 128
// lanewise.args x = normal(16, 64), y = empty(16, 64); grid = 1
gpu.func @whole(%x: memref<16x64xf32>, %y: memref<16x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %a = vector.load %x[%c8, %c0] : memref<16x64xf32>, vector<8x64xf32>
  vector.store %a, %y[%c0, %c0] : memref<16x64xf32>, vector<8x64xf32>
  gpu.return
}

// -----

// What is off keeps what is given for it, or what is there. Of a thread's eight elements each is masked on its own, so that
// neighbours lie in neighbouring threads: 5 rows of 61 elements are 40 sectors each way, 8 whole rows 64.
// expect sm_90: loads 16, stores 16, sectors 208, barriers 0, conversions 0
// expect gfx942: loads 16, stores 16, sectors 208, barriers 0, conversions 0
// lanewise.args x = normal(16, 64), p = normal(8, 64), y = normal(16, 64), 5, 61; grid = 1
gpu.func @masked(%x: memref<16x64xf32>, %p: memref<8x64xf32>, %y: memref<16x64xf32>, %m: index, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %k = vector.create_mask %m, %n : vector<8x64xi1>
  %r = vector.load %p[%c0, %c0] : memref<8x64xf32>, vector<8x64xf32>
  %a = vector.maskedload %x[%c8, %c0], %k, %r : memref<16x64xf32>, vector<8x64xi1>, vector<8x64xf32> into vector<8x64xf32>
  vector.maskedstore %y[%c0, %c0], %k, %a : memref<16x64xf32>, vector<8x64xi1>, vector<8x64xf32>
  vector.store %a, %y[%c8, %c0] : memref<16x64xf32>, vector<8x64xf32>
  gpu.return
}

// -----

// A mask keeps accesses inside the memref: its rows have 61 elements.
// lanewise.args x = normal(8, 61), y = empty(8, 61); grid = 1
gpu.func @edge(%x: memref<8x61xf32>, %y: memref<8x61xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %k = vector.constant_mask [8, 61] : vector<8x64xi1>
  %r = arith.constant dense<1.0> : vector<8x64xf32>
  %a = vector.maskedload %x[%c0, %c0], %k, %r : memref<8x61xf32>, vector<8x64xi1>, vector<8x64xf32> into vector<8x64xf32>
  vector.maskedstore %y[%c0, %c0], %k, %a : memref<8x61xf32>, vector<8x64xi1>, vector<8x64xf32>
  gpu.return
}

// -----

// An index of which only the load says that it leads to a multiple of 16 bytes: one access in each of 32 threads.
// expect sm_80: loads 1, stores 1
// lanewise.args x = normal(256), y = normal(256), 1; grid = 1
gpu.func @promised(%x: memref<256xf32> {llvm.align = 16 : i64}, %y: memref<256xf32> {llvm.align = 16 : i64}, %n: index)
    kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c8 = arith.constant 8 : index
  %i = arith.shrsi %c8, %n : index
  %a = vector.load %x[%i] alignment = 16 : memref<256xf32>, vector<128xf32>
  vector.store %a, %y[%i] alignment = 16 : memref<256xf32>, vector<128xf32>
  gpu.return
}
