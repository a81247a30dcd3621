gpu.func @ocp(%x: memref<64x4xf8E4M3FN>, %y: memref<64xf32>, %z: memref<64x2xf32>, %w: memref<64x4xf8E5M2>,
    %s: memref<64x4xf8E4M3FN>, %o: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%id, %c0] : memref<64x4xf8E4M3FN>, vector<4xf8E4M3FN>
  %0 = amdgpu.ext_packed_fp8 %v[3] : vector<4xf8E4M3FN> to f32
  %1 = amdgpu.ext_packed_fp8 %v[1] : vector<4xf8E4M3FN> to vector<2xf32>
  memref.store %0, %y[%id] : memref<64xf32>
  vector.store %1, %z[%id, %c0] : memref<64x2xf32>, vector<2xf32>
  %third = arith.constant 0.3 : f32
  %a = arith.mulf %0, %third : f32
  %low = amdgpu.packed_trunc_2xfp8 %0, %a into undef[word 0] : f32 to vector<4xf8E5M2>
  %both = amdgpu.packed_trunc_2xfp8 %a, undef into %low[word 1] : f32 to vector<4xf8E5M2> into vector<4xf8E5M2>
  vector.store %both, %w[%id, %c0] : memref<64x4xf8E5M2>, vector<4xf8E5M2>
  %same = amdgpu.packed_trunc_2xfp8 %a, %0 into %v[word 1] : f32 to vector<4xf8E4M3FN> into vector<4xf8E4M3FN>
  vector.store %same, %s[%id, %c0] : memref<64x4xf8E4M3FN>, vector<4xf8E4M3FN>
  %one = vector.extract %v[0] : f8E4M3FN from vector<4xf8E4M3FN>
  %2 = amdgpu.ext_packed_fp8 %one[0] : f8E4M3FN to f32
  memref.store %2, %o[%id] : memref<64xf32>
  gpu.return
}
