gpu.func @out_of_order(%X: memref<64xf32>, %Y: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  cf.br ^third
^first:
  vector.transfer_write %y, %Y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
^second:
  %y = arith.addf %x, %x : vector<64xf32>
  cf.br ^first
^third:
  %x = vector.transfer_read %X[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  cf.br ^second
}
