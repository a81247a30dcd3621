// Sums and products of f32 with halves: from sm_100 on LLVM takes instructions that extend the halves themselves.
// test run target=sm_100
// test run target=sm_90
// lanewise.args x = normal(64), b = normal(64), c = normal(64), y = empty(64)
gpu.func @mixed(%x: memref<64xf32>, %b: memref<64xf16>, %c: memref<64xbf16>, %y: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %ph = arith.constant 0.0 : f16
  %pb = arith.constant 0.0 : bf16
  %v = vector.transfer_read %x[%c0], %p : memref<64xf32>, vector<64xf32>
  %h = vector.transfer_read %b[%c0], %ph : memref<64xf16>, vector<64xf16>
  %g = vector.transfer_read %c[%c0], %pb : memref<64xbf16>, vector<64xbf16>
  %e = arith.extf %h : vector<64xf16> to vector<64xf32>
  %f = arith.extf %g : vector<64xbf16> to vector<64xf32>
  %s = arith.addf %v, %e : vector<64xf32>
  %d = arith.subf %f, %s : vector<64xf32>
  %m = math.fma %e, %e, %d : vector<64xf32>
  %n = math.fma %f, %f, %m : vector<64xf32>
  vector.transfer_write %n, %y[%c0] : vector<64xf32>, memref<64xf32>
  gpu.return
}
