func.func @converted(%x: memref<64xf32>, %y: memref<64xf8E4M3FN>, %z: memref<64xf16>, %w: memref<64xbf16>, %h: memref<64xf16>,
    %e: memref<64xf32>, %r: memref<64xf32>) attributes {translation_info = #iree_codegen.translation_info<
      pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1]>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %padh = arith.constant 0.0 : f16
  %v = vector.transfer_read %x[%c0], %pad {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %u = vector.transfer_read %h[%c0], %padh {in_bounds = [true]} : memref<64xf16>, vector<64xf16>
  %0 = nvgpu.truncf %v : vector<64xf32> to vector<64xf8E4M3FN>
  %1 = nvgpu.truncf %v <rnd = rz, relu = true, sat = none> : vector<64xf32> to vector<64xf16>
  %2 = nvgpu.truncf %v <rnd = rz> : vector<64xf32> to vector<64xbf16>
  %3 = nvgpu.extf %u <relu = true> : vector<64xf16> to vector<64xf32>
  %4 = nvgpu.extf %u : vector<64xf16> to vector<64xf32>
  %5 = nvgpu.rcp %4 <approx = true, ftz = true> : vector<64xf32>
  vector.transfer_write %0, %y[%c0] {in_bounds = [true]} : vector<64xf8E4M3FN>, memref<64xf8E4M3FN>
  vector.transfer_write %1, %z[%c0] {in_bounds = [true]} : vector<64xf16>, memref<64xf16>
  vector.transfer_write %2, %w[%c0] {in_bounds = [true]} : vector<64xbf16>, memref<64xbf16>
  vector.transfer_write %3, %e[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  vector.transfer_write %5, %r[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}
