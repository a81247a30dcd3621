// A sum of floats without an anchor: the variant for aligned buffers reads four neighbours a thread, and adds in another order.
// test run
// test run target=gfx942
// lanewise.args M = 40: x = normal(M,512), y = empty(M) ; grid = ceildiv(M, 16)
gpu.func @k(%x: memref<?x512xf32>, %y: memref<?xf32>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %b = gpu.block_id x
  %m = arith.muli %b, %c16 : index
  %zero = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<16xf32>
    %v = vector.transfer_read %x[%m, %c0], %zero : memref<?x512xf32>, vector<16x512xf32>
    %s = vector.multi_reduction <add>, %v, %z [1] : vector<16x512xf32> to vector<16xf32>
    vector.transfer_write %s, %y[%m] : vector<16xf32>, memref<?xf32>
  gpu.return
}
