// LLVM cannot select bf16 extrema that promise to be without NaN; they are emitted without the promise.
// test run target=gfx942
// test run target=sm_90
// lanewise.args x = normal(8, 64), y = empty(8, 64); grid = 1
gpu.func @k(%x: memref<8x64xbf16>, %y: memref<8x64xbf16>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : bf16
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x64xbf16>, vector<8x64xbf16>
  %i = arith.constant dense<0xFF80> : vector<8xbf16>
  %m = vector.multi_reduction <maximumf>, %a, %i {fastmath = #arith.fastmath<nnan>} [1] : vector<8x64xbf16> to vector<8xbf16>
  %b = vector.broadcast %m : vector<8xbf16> to vector<64x8xbf16>
  %t = vector.transpose %b, [1, 0] : vector<64x8xbf16> to vector<8x64xbf16>
  %z = arith.constant dense<0.0> : vector<8x64xbf16>
  %r = arith.maximumf %a, %z fastmath<nnan> : vector<8x64xbf16>
  %s = arith.subf %r, %t : vector<8x64xbf16>
  vector.transfer_write %s, %y[%c0, %c0] {in_bounds = [true, true]} : vector<8x64xbf16>, memref<8x64xbf16>
  gpu.return
}
