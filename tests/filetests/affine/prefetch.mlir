// affine.prefetch is a hint: an instruction where a chip has one, and nothing else changes.
// test roundtrip
// test run target=sm_90
// test run target=gfx942
// test run target=sm_80
// test run target=gfx1100
// lanewise.args x = index(64), y = empty(64)
gpu.module @m {
  gpu.func @ahead(%x: memref<64xf32>, %y: memref<64xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %p = arith.constant 0.0 : f32
    affine.for %i = 0 to 64 step 32 {
      affine.prefetch %x[(%i + 32) mod 64], read, locality<3>, data : memref<64xf32>
      %v = vector.transfer_read %x[%i], %p {in_bounds = [true]} : memref<64xf32>, vector<32xf32>
      vector.transfer_write %v, %y[%i] {in_bounds = [true]} : vector<32xf32>, memref<64xf32>
    }
    gpu.return
  }
}
