// As many neighbours as a mask has on: counted across threads and subgroups, then gathered or scattered.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// What is positive comes to the front and goes back: what a thread reads others wrote. Three elements a thread.
// Elements go one by one: 3 + 3 loads and 3 + 3 stores.
// expect sm_90: loads 6, stores 6, atomics 0, barriers <= 3
// expect gfx942: loads 6, stores 6, atomics 0, barriers <= 3
// lanewise.args x = normal(384), z = normal(400), y = empty(384); grid = 1
gpu.func @there_and_back(%x: memref<384xf32>, %z: memref<400xf32>, %y: memref<384xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant dense<0.0> : vector<384xf32>
  %a = vector.load %x[%c0] : memref<384xf32>, vector<384xf32>
  %k = arith.cmpf ogt, %a, %zero : vector<384xf32>
  vector.compressstore %z[%c7], %k, %a : memref<400xf32>, vector<384xi1>, vector<384xf32>
  %b = vector.expandload %z[%c7], %k, %zero : memref<400xf32>, vector<384xi1>, vector<384xf32> into vector<384xf32>
  vector.store %b, %y[%c0] : memref<384xf32>, vector<384xf32>
  gpu.return
}

// -----

// A row of a matrix, of exactly as many elements as are on; the mask is a box: 5 of 8.
// One of 32 lanes' elements each; a row's places are counted by shuffles alone.
// expect sm_90: loads 1, stores 1, barriers 0, shared bytes 0
// expect gfx942: loads 1, stores 1, barriers 0, shared bytes 0
// lanewise.args x = index(3, 5), y = empty(8); grid = 1
gpu.func @short_row(%x: memref<3x5xf32>, %y: memref<8xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %k = arith.constant dense<[true, false, true, true, false, true, false, true]> : vector<8xi1>
  %p = arith.constant dense<-1.0> : vector<8xf32>
  %a = vector.expandload %x[%c2, %c0], %k, %p : memref<3x5xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  vector.store %a, %y[%c0] : memref<8xf32>, vector<8xf32>
  gpu.return
}

// -----

// Of a thread: a row at once, then each of its elements or not.
// expect sm_90: loads 1, stores 4, shuffles 0, barriers 0
// expect gfx942: loads 1, stores 4, shuffles 0, barriers 0
// lanewise.args x = normal(64, 4), y = normal(64, 4); grid = 1
gpu.func @thread(%x: memref<64x4xf32>, %y: memref<64x4xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %a = vector.load %x[%t, %c0] : memref<64x4xf32>, vector<4xf32>
  %k = arith.cmpf ogt, %a, %zero : vector<4xf32>
  vector.compressstore %y[%t, %c0], %k, %a : memref<64x4xf32>, vector<4xi1>, vector<4xf32>
  gpu.return
}
