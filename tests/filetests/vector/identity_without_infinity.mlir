// What a reduction or a scan begins with changes nothing: in types without infinity the end of the range, where NaN would
// win; in those without NaN, too, for the kinds that pass over NaN. Numbers from -1 down (up): a wrong beginning wins.
// test roundtrip
// test run
// test run target=gfx942
// test run target=sm_90
// test run target=gfx1201
// lanewise.args x = integers(-4, -1, 32), y = empty(3), z = empty(32) ; grid = 1
gpu.func @maximum(%x: memref<32xf8E4M3FN>, %y: memref<3xf8E4M3FN>, %z: memref<32xf8E4M3FN>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %first = arith.constant -4.0 : f8E4M3FN
  %v = vector.transfer_read %x[%c0], %first {in_bounds = [true]} : memref<32xf8E4M3FN>, vector<32xf8E4M3FN>
  %r = vector.reduction <maximumf>, %v : vector<32xf8E4M3FN> into f8E4M3FN
  memref.store %r, %y[%c0] : memref<3xf8E4M3FN>
  %on = vector.create_mask %c5 : vector<32xi1>
  %m = vector.mask %on { vector.reduction <maximumf>, %v : vector<32xf8E4M3FN> into f8E4M3FN } : vector<32xi1> -> f8E4M3FN
  %c1 = arith.constant 1 : index
  memref.store %m, %y[%c1] : memref<3xf8E4M3FN>
  %p = affine.parallel (%i) = (0) to (32) reduce ("maximumf") -> (f8E4M3FN) {
    %a = affine.load %x[%i] : memref<32xf8E4M3FN>
    affine.yield %a : f8E4M3FN
  }
  %c2 = arith.constant 2 : index
  memref.store %p, %y[%c2] : memref<3xf8E4M3FN>
  %start = vector.broadcast %first : f8E4M3FN to vector<f8E4M3FN>
  %s, %last = vector.scan <maximumf>, %v, %start {inclusive = false, reduction_dim = 0 : i64}
      : vector<32xf8E4M3FN>, vector<f8E4M3FN>
  vector.transfer_write %s, %z[%c0] {in_bounds = [true]} : vector<32xf8E4M3FN>, memref<32xf8E4M3FN>
  gpu.return
}
