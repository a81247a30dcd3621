gpu.func @columns(%x: memref<7x64xf64>, %i: memref<64xf64>, %y: memref<7x64xf64>, %w: memref<64xf64>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f64
  %a = vector.transfer_read %x[%c0, %c0], %p : memref<7x64xf64>, vector<7x64xf64>
  %s = vector.transfer_read %i[%c0], %p : memref<64xf64>, vector<64xf64>
  %0, %1 = vector.scan <mul>, %a, %s {inclusive = false, reduction_dim = 0 : i64} : vector<7x64xf64>, vector<64xf64>
  vector.transfer_write %0, %y[%c0, %c0] : vector<7x64xf64>, memref<7x64xf64>
  vector.transfer_write %1, %w[%c0] : vector<64xf64>, memref<64xf64>
  gpu.return
}
