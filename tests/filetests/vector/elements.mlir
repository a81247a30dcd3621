// Single elements by positions of any integer type; all of them; a vector of numbers.
// test roundtrip
// test run
// test run target=gfx1100
// test run target=sm_80
// test run target=gfx942
// Who holds the element that the position names sends it, in one subgroup: nothing goes through memory.
// expect sm_90: barriers 0, shared bytes 0
// expect gfx942: barriers 0, shared bytes 0
// lanewise.args x = index(16), y = empty(16), z = empty(2, 3), i = 11; grid = 1
gpu.func @elements(%x: memref<16xf32>, %y: memref<16xf32>, %z: memref<2x3xf32>, %i: i32) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p : memref<16xf32>, vector<16xf32>
  %e = vector.extractelement %a[%i : i32] : vector<16xf32>
  %b = vector.insertelement %e, %a[%c0 : index] : vector<16xf32>
  %k = arith.trunci %i : i32 to i8
  %c = vector.insertelement %p, %b[%k : i8] : vector<16xf32>
  vector.transfer_write %c, %y[%c0] : vector<16xf32>, memref<16xf32>
  %s = vector.extract_strided_slice %a {offsets = [2], sizes = [4], strides = [1]} : vector<16xf32> to vector<4xf32>
  %n:4 = vector.to_elements %s : vector<4xf32>
  %v = vector.from_elements %n#3, %e, %n#0, %n#1, %n#1, %n#2 : vector<2x3xf32>
  vector.transfer_write %v, %z[%c0, %c0] : vector<2x3xf32>, memref<2x3xf32>
  gpu.return
}

// -----

// Poison is never compared: every program that depends on none of it is right.
// lanewise.args x = index(8), y = empty(8), z = empty(4), i = 1; grid = 1
gpu.func @poison(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<4xf32>, %i: i32) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p : memref<8xf32>, vector<8xf32>
  %0 = vector.shuffle %a, %a [-1, 7, -1, 8, 9, -1, 1, 0] : vector<8xf32>, vector<8xf32>
  vector.transfer_write %0, %y[%c0] : vector<8xf32>, memref<8xf32>
  %u = ub.poison : vector<4xf32>
  %e = vector.extract %a[-1] : f32 from vector<8xf32>
  %1 = vector.insert %e, %u[1] : f32 into vector<4xf32>
  %f = vector.extract %a[3] : f32 from vector<8xf32>
  %2 = vector.insert %f, %1[2] : f32 into vector<4xf32>
  %3 = vector.insert %f, %2[-1] : f32 into vector<4xf32>
  %m = vector.constant_mask [3] : vector<4xi1>
  %4 = arith.select %m, %2, %3 : vector<4xi1>, vector<4xf32>
  vector.transfer_write %4, %z[%c0] : vector<4xf32>, memref<4xf32>
  gpu.return
}

// -----

// The data of rows of 6, in tiles of 4, as rows of 9; what fills the last tiles is poison.
// 24 elements in one subgroup: no way through memory.
// expect sm_90: barriers 0, shared bytes 0
// expect gfx942: barriers 0, shared bytes 0
// lanewise.args x = index(3, 2, 4), y = empty(2, 3, 4); grid = 1
gpu.func @retiled(%x: memref<3x2x4xf32>, %y: memref<2x3x4xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %c9 = arith.constant 9 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0, %c0], %p : memref<3x2x4xf32>, vector<3x2x4xf32>
  %b = vector.reshape %a, [%c3, %c6], [%c2, %c9], [4] : vector<3x2x4xf32> to vector<2x3x4xf32>
  vector.transfer_write %b, %y[%c0, %c0, %c0] : vector<2x3x4xf32>, memref<2x3x4xf32>
  gpu.return
}

// -----

// lanewise.args y = empty(200), z = empty(40); grid = 1
gpu.func @steps(%y: memref<200xi8>, %z: memref<40xi16>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %s = vector.step : vector<200xi8>
  vector.transfer_write %s, %y[%c0] : vector<200xi8>, memref<200xi8>
  %t = vector.step : vector<40xi16>
  vector.transfer_write %t, %z[%c0] : vector<40xi16>, memref<40xi16>
  gpu.return
}
