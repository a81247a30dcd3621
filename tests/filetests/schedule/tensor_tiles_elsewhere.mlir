// No other chip has them.
// test compile target=sm_90
gpu.func @older(%a: memref<64x32xf16>, %b: memref<64x32xf16>, %c: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 32 : index
  %depth = arith.constant 32 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<64x64xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<64x32xf16>, vector<64x32xf16>
    %s = vector.transfer_read %b[%c0, %k], %p {in_bounds = [true, true]} : memref<64x32xf16>, vector<64x32xf16>
    %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, // expected-error {{NV_WGMMA_F32_64x32x16_F16 is asked for, which does not fit: sm_90 does not have it; for f16 * f16 + f32 it has NV_MMA_SYNC_F32_16x8x8_F16, NV_MMA_SYNC_F32_16x8x16_F16}}
      affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>,
      lowering_config = #iree_gpu.lowering_config<{mma_kind = #lanewise.mma_layout<NV_WGMMA_F32_64x32x16_F16>}>}
      %l, %s, %sum : vector<64x32xf16>, vector<64x32xf16> into vector<64x64xf32>
    scf.yield %d : vector<64x64xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
