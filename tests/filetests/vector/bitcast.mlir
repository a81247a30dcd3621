// Words taken apart into halves and put together again in their threads: no lane is asked.
// test roundtrip
// test run
// test run target=gfx942
// test run target=sm_80
// test run target=gfx1100
// lanewise.args x = integers(-100000, 100000, 16, 64), y = empty(16, 128), z = empty(16, 64); grid = 1
// expect sm_90: shuffles 0, barriers 0
// expect gfx942: shuffles 0, barriers 0
gpu.func @halves(%x: memref<16x64xi32>, %y: memref<16x128xi16>, %z: memref<16x64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i32
  %a = vector.transfer_read %x[%c0, %c0], %p : memref<16x64xi32>, vector<16x64xi32>
  %b = vector.bitcast %a : vector<16x64xi32> to vector<16x128xi16>
  vector.transfer_write %b, %y[%c0, %c0] : vector<16x128xi16>, memref<16x128xi16>
  %c = vector.bitcast %b : vector<16x128xi16> to vector<16x64xf32>
  %d = arith.bitcast %c : vector<16x64xf32> to vector<16x64xi32>
  vector.transfer_write %d, %z[%c0, %c0] : vector<16x64xi32>, memref<16x64xi32>
  gpu.return
}

// -----

// From halves that a transposition has spread; to single bits, and from these to bytes; rank 0.
// lanewise.args x = index(16, 64), y = empty(64, 8), z = empty(4), w = empty(1); grid = 1
gpu.func @spread(%x: memref<16x64xf16>, %y: memref<64x8xi32>, %z: memref<4xi8>, %w: memref<1xi16>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %a = vector.transfer_read %x[%c0, %c0], %p : memref<16x64xf16>, vector<16x64xf16>
  %t = vector.transpose %a, [1, 0] : vector<16x64xf16> to vector<64x16xf16>
  %b = vector.bitcast %t : vector<64x16xf16> to vector<64x8xi32>
  vector.transfer_write %b, %y[%c0, %c0] : vector<64x8xi32>, memref<64x8xi32>
  %g = vector.extract %b[5, 3] : i32 from vector<64x8xi32>
  %h = vector.broadcast %g : i32 to vector<1xi32>
  %i = vector.bitcast %h : vector<1xi32> to vector<32xi1>
  %j = vector.bitcast %i : vector<32xi1> to vector<4xi8>
  vector.transfer_write %j, %z[%c0] : vector<4xi8>, memref<4xi8>
  %e = vector.extract %a[1, 1] : f16 from vector<16x64xf16>
  %f = vector.broadcast %e : f16 to vector<f16>
  %k = vector.bitcast %f : vector<f16> to vector<i16>
  %l = vector.shape_cast %k : vector<i16> to vector<1xi16>
  vector.transfer_write %l, %w[%c0] : vector<1xi16>, memref<1xi16>
  gpu.return
}
