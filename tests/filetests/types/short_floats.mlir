// Every float shorter than f16: from f32 by a mode, to f16 and f64, transposed through shared memory or lanes.
// test roundtrip
// test run target=sm_90 data=special
// test run target=gfx942 data=special
// lanewise.args M = 13, N = 27: x = normal(M, N, scale=3), y = empty(N, M)
gpu.func @through(%x: memref<?x?xf32>, %y: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 1.0 : f32
  %half = arith.constant dense<0.5> : vector<16x32xtf32>
  %v = vector.transfer_read %x[%c0, %c0], %p : memref<?x?xf32>, vector<16x32xf32>
  %zero = arith.constant dense<0.0> : vector<16x32xf32>
  %c = arith.cmpf ogt, %v, %zero : vector<16x32xf32>
  %n = arith.truncf %v : vector<16x32xf32> to vector<16x32xtf32>
  %s = arith.select %c, %n, %half : vector<16x32xi1>, vector<16x32xtf32>
  %t = vector.transpose %s, [1, 0] : vector<16x32xtf32> to vector<32x16xtf32>
  %w = arith.extf %t : vector<32x16xtf32> to vector<32x16xf32>
  vector.transfer_write %w, %y[%c0, %c0] : vector<32x16xf32>, memref<?x?xf32>
  gpu.return
}
// -----
// lanewise.args M = 13, N = 27: x = normal(M, N, scale=3), y = empty(N, M)
gpu.func @through(%x: memref<?x?xf32>, %y: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 1.0 : f32
  %half = arith.constant dense<0.5> : vector<16x32xf8E4M3>
  %v = vector.transfer_read %x[%c0, %c0], %p : memref<?x?xf32>, vector<16x32xf32>
  %zero = arith.constant dense<0.0> : vector<16x32xf32>
  %c = arith.cmpf ogt, %v, %zero : vector<16x32xf32>
  %n = arith.truncf %v : vector<16x32xf32> to vector<16x32xf8E4M3>
  %s = arith.select %c, %n, %half : vector<16x32xi1>, vector<16x32xf8E4M3>
  %t = vector.transpose %s, [1, 0] : vector<16x32xf8E4M3> to vector<32x16xf8E4M3>
  %w = arith.extf %t : vector<32x16xf8E4M3> to vector<32x16xf32>
  vector.transfer_write %w, %y[%c0, %c0] : vector<32x16xf32>, memref<?x?xf32>
  gpu.return
}
// -----
// lanewise.args M = 13, N = 27: x = normal(M, N, scale=3), y = empty(N, M)
gpu.func @through(%x: memref<?x?xf32>, %y: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 1.0 : f32
  %half = arith.constant dense<0.5> : vector<16x32xf8E3M4>
  %v = vector.transfer_read %x[%c0, %c0], %p : memref<?x?xf32>, vector<16x32xf32>
  %zero = arith.constant dense<0.0> : vector<16x32xf32>
  %c = arith.cmpf ogt, %v, %zero : vector<16x32xf32>
  %n = arith.truncf %v : vector<16x32xf32> to vector<16x32xf8E3M4>
  %s = arith.select %c, %n, %half : vector<16x32xi1>, vector<16x32xf8E3M4>
  %t = vector.transpose %s, [1, 0] : vector<16x32xf8E3M4> to vector<32x16xf8E3M4>
  %w = arith.extf %t : vector<32x16xf8E3M4> to vector<32x16xf32>
  vector.transfer_write %w, %y[%c0, %c0] : vector<32x16xf32>, memref<?x?xf32>
  gpu.return
}
// -----
// lanewise.args M = 13, N = 27: x = normal(M, N, scale=3), y = empty(N, M)
gpu.func @through(%x: memref<?x?xf32>, %y: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 1.0 : f32
  %half = arith.constant dense<0.5> : vector<16x32xf8E4M3B11FNUZ>
  %v = vector.transfer_read %x[%c0, %c0], %p : memref<?x?xf32>, vector<16x32xf32>
  %zero = arith.constant dense<0.0> : vector<16x32xf32>
  %c = arith.cmpf ogt, %v, %zero : vector<16x32xf32>
  %n = arith.truncf %v : vector<16x32xf32> to vector<16x32xf8E4M3B11FNUZ>
  %s = arith.select %c, %n, %half : vector<16x32xi1>, vector<16x32xf8E4M3B11FNUZ>
  %t = vector.transpose %s, [1, 0] : vector<16x32xf8E4M3B11FNUZ> to vector<32x16xf8E4M3B11FNUZ>
  %w = arith.extf %t : vector<32x16xf8E4M3B11FNUZ> to vector<32x16xf32>
  vector.transfer_write %w, %y[%c0, %c0] : vector<32x16xf32>, memref<?x?xf32>
  gpu.return
}
// -----
// lanewise.args M = 13, N = 27: x = normal(M, N, scale=3), y = empty(N, M)
gpu.func @through(%x: memref<?x?xf32>, %y: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 1.0 : f32
  %half = arith.constant dense<0.5> : vector<16x32xf8E8M0FNU>
  %v = vector.transfer_read %x[%c0, %c0], %p : memref<?x?xf32>, vector<16x32xf32>
  %zero = arith.constant dense<0.0> : vector<16x32xf32>
  %c = arith.cmpf ogt, %v, %zero : vector<16x32xf32>
  %n = arith.truncf %v : vector<16x32xf32> to vector<16x32xf8E8M0FNU>
  %s = arith.select %c, %n, %half : vector<16x32xi1>, vector<16x32xf8E8M0FNU>
  %t = vector.transpose %s, [1, 0] : vector<16x32xf8E8M0FNU> to vector<32x16xf8E8M0FNU>
  %w = arith.extf %t : vector<32x16xf8E8M0FNU> to vector<32x16xf32>
  vector.transfer_write %w, %y[%c0, %c0] : vector<32x16xf32>, memref<?x?xf32>
  gpu.return
}
// -----
// lanewise.args M = 13, N = 27: x = normal(M, N, scale=3), y = empty(N, M)
gpu.func @through(%x: memref<?x?xf32>, %y: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 1.0 : f32
  %half = arith.constant dense<0.5> : vector<16x32xf6E2M3FN>
  %v = vector.transfer_read %x[%c0, %c0], %p : memref<?x?xf32>, vector<16x32xf32>
  %zero = arith.constant dense<0.0> : vector<16x32xf32>
  %c = arith.cmpf ogt, %v, %zero : vector<16x32xf32>
  %n = arith.truncf %v : vector<16x32xf32> to vector<16x32xf6E2M3FN>
  %s = arith.select %c, %n, %half : vector<16x32xi1>, vector<16x32xf6E2M3FN>
  %t = vector.transpose %s, [1, 0] : vector<16x32xf6E2M3FN> to vector<32x16xf6E2M3FN>
  %w = arith.extf %t : vector<32x16xf6E2M3FN> to vector<32x16xf32>
  vector.transfer_write %w, %y[%c0, %c0] : vector<32x16xf32>, memref<?x?xf32>
  gpu.return
}
// -----
// lanewise.args M = 13, N = 27: x = normal(M, N, scale=3), y = empty(N, M)
gpu.func @through(%x: memref<?x?xf32>, %y: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 1.0 : f32
  %half = arith.constant dense<0.5> : vector<16x32xf6E3M2FN>
  %v = vector.transfer_read %x[%c0, %c0], %p : memref<?x?xf32>, vector<16x32xf32>
  %zero = arith.constant dense<0.0> : vector<16x32xf32>
  %c = arith.cmpf ogt, %v, %zero : vector<16x32xf32>
  %n = arith.truncf %v : vector<16x32xf32> to vector<16x32xf6E3M2FN>
  %s = arith.select %c, %n, %half : vector<16x32xi1>, vector<16x32xf6E3M2FN>
  %t = vector.transpose %s, [1, 0] : vector<16x32xf6E3M2FN> to vector<32x16xf6E3M2FN>
  %w = arith.extf %t : vector<32x16xf6E3M2FN> to vector<32x16xf32>
  vector.transfer_write %w, %y[%c0, %c0] : vector<32x16xf32>, memref<?x?xf32>
  gpu.return
}
// -----
// lanewise.args M = 13, N = 27: x = normal(M, N, scale=3), y = empty(N, M)
gpu.func @through(%x: memref<?x?xf32>, %y: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 1.0 : f32
  %half = arith.constant dense<0.5> : vector<16x32xf4E2M1FN>
  %v = vector.transfer_read %x[%c0, %c0], %p : memref<?x?xf32>, vector<16x32xf32>
  %zero = arith.constant dense<0.0> : vector<16x32xf32>
  %c = arith.cmpf ogt, %v, %zero : vector<16x32xf32>
  %n = arith.truncf %v : vector<16x32xf32> to vector<16x32xf4E2M1FN>
  %s = arith.select %c, %n, %half : vector<16x32xi1>, vector<16x32xf4E2M1FN>
  %t = vector.transpose %s, [1, 0] : vector<16x32xf4E2M1FN> to vector<32x16xf4E2M1FN>
  %w = arith.extf %t : vector<32x16xf4E2M1FN> to vector<32x16xf32>
  vector.transfer_write %w, %y[%c0, %c0] : vector<32x16xf32>, memref<?x?xf32>
  gpu.return
}
