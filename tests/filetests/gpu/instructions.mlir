// Instructions of a thread's program, as the thread stage has them; and an address, which no executor makes a number of.
// test roundtrip
// test verify
func.func @pieces(%m: memref<128x40xf16, #gpu.address_space<workgroup>>, %i: index, %b: vector<2x2xf16>, %c: vector<2x2xf32>,
    %a4: vector<4xf16>, %c16: vector<16xf32>, %a16: vector<16xf16>, %c8: vector<8xf32>) {
  %a = nvgpu.ldmatrix %m[%i, %i] numTiles = 4 transpose = false : memref<128x40xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
  %d = nvgpu.mma.sync(%a, %b, %c) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
  nvgpu.stmatrix %b, %m[%i, %i] : vector<2x2xf16>, memref<128x40xf16, #gpu.address_space<workgroup>>
  %e = amdgpu.mfma 32x32x8 %a4 * %a4 + %c16 : vector<4xf16>, vector<4xf16>, vector<16xf32>
  %f = amdgpu.wmma 16x16x16 %a16 * %a16 + %c8 : vector<16xf16>, vector<16xf16>, vector<8xf32>
  %p = memref.extract_aligned_pointer_as_index %m : memref<128x40xf16, #gpu.address_space<workgroup>> -> index
  return
}
// -----
// Those of a sparse A.
func.func @sparse(%a: vector<4x2xf16>, %c: vector<2x2xf32>, %m: vector<2xi16>, %a4: vector<4xf16>, %b8: vector<8xf16>,
    %i4: vector<4xi8>, %c4: vector<4xf32>, %q8: vector<8xi8>, %q16: vector<16xi8>, %d4: vector<4xi32>, %w16: vector<16xf8E4M3FN>,
    %w32: vector<32xf8E5M2>, %c16: vector<16xf32>, %i: i32) {
  %d = nvgpu.mma.sp.sync(%a, %a, %c) metadata(%m) mmaShape = [16, 8, 32] : (vector<4x2xf16>, vector<4x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
  %e = nvgpu.mma.sp.sync(%a, %a, %c) metadata(%m) mmaShape = [16, 8, 32] sparsitySelector = 1 : (vector<4x2xf16>, vector<4x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
  %f = amdgpu.sparse_mfma 16x16x32 %a4 * %b8 + %c4 sparse(%i4 : vector<4xi8>) abid(3) : vector<4xf16>, vector<8xf16>, vector<4xf32>
  %g = amdgpu.sparse_mfma 16x16x64 %q8 * %q16 + %d4 sparse(%m : vector<2xi16>) abid(1) cbsz(1) : vector<8xi8>, vector<16xi8>, vector<4xi32>
  %h = amdgpu.sparse_mfma 32x32x64 %w16 * %w32 + %c16 sparse(%i : i32) : vector<16xf8E4M3FN>, vector<32xf8E5M2>, vector<16xf32>
  return
}
// -----
func.func @sparse_of_a_wave(%a: vector<8xf16>, %b: vector<16xf16>, %c: vector<8xf32>, %i: vector<4xi8>, %n: vector<16xi4>, %w: vector<32xi4>,
    %s: vector<8xi32>) {
  %d = amdgpu.sparse_wmma 16x16x32 %a * %b + %c sparse(%i : vector<4xi8>) : vector<8xf16>, vector<16xf16>, vector<8xf32>
  %e = amdgpu.sparse_wmma 16x16x64 %n * %w + %s sparse(%i : vector<4xi8>) unsignedA : vector<16xi4>, vector<32xi4>, vector<8xi32>
  %f = amdgpu.sparse_wmma 16x16x64 %n * %w + %s sparse(%i : vector<4xi8>) {unsignedA, unsignedB} : vector<16xi4>, vector<32xi4>, vector<8xi32>
  return
}
// -----
// Those of block-scaled elements.
func.func @scaled(%a: vector<4x4xf8E4M3FN>, %b: vector<2x4xf4E2M1FN>, %p: vector<4x8xf4E2M1FN>, %q: vector<2x8xf4E2M1FN>,
    %c: vector<2x2xf32>, %s: vector<4xf8E8M0FNU>, %u: vector<4xf8E4M3FN>) {
  %d = nvgpu.mma.block_scale.sync(%a, %b, %c) scales(%s, %s) {byteIdA = 3 : i32, mmaShape = [16, 8, 32], threadIdA = 1 : i32} : (vector<4x4xf8E4M3FN>, vector<2x4xf4E2M1FN>, vector<2x2xf32>), vector<4xf8E8M0FNU>, vector<4xf8E8M0FNU> -> vector<2x2xf32>
  %e = nvgpu.mma.block_scale.sync(%p, %q, %c) scales(%u, %u) {mmaShape = [16, 8, 64], threadIdB = 3 : i32} : (vector<4x8xf4E2M1FN>, vector<2x8xf4E2M1FN>, vector<2x2xf32>), vector<4xf8E4M3FN>, vector<4xf8E4M3FN> -> vector<2x2xf32>
  return
}
// -----
func.func @scaled_of_amd(%a: vector<32xf4E2M1FN>, %b: vector<32xf8E4M3FN>, %c: vector<4xf32>, %w: vector<16xf32>, %s: vector<4xf8E8M0FNU>, %t: f8E8M0FNU) {
  %d = amdgpu.scaled_mfma 16x16x128 (%s[3] * %a) * (%t[0] * %b) + %c : vector<4xf8E8M0FNU>, vector<32xf4E2M1FN>, f8E8M0FNU, vector<32xf8E4M3FN>, vector<4xf32>
  %e = amdgpu.scaled_mfma 32x32x64 (%s[1] * %b) * (%s[2] * %b) + %w : vector<4xf8E8M0FNU>, vector<32xf8E4M3FN>, vector<4xf8E8M0FNU>, vector<32xf8E4M3FN>, vector<16xf32>
  return
}
// -----
// Tensor memory.
func.func @tensor_memory(%s: memref<4xi32, #gpu.address_space<workgroup>>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<64x64xf16, #gpu.address_space<workgroup>>, %i: index, %no: i1,
    %bar: !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>) {
  lanewise.tcgen05.alloc %s[%i] {columns = 64 : i32} : memref<4xi32, #gpu.address_space<workgroup>>
  lanewise.tcgen05.relinquish_alloc_permit
  %d = lanewise.tcgen05.address %s[%i] : memref<4xi32, #gpu.address_space<workgroup>> -> !lanewise.tensor_memory<128x64xf32>
  %h = lanewise.tcgen05.address %s[%i] : memref<4xi32, #gpu.address_space<workgroup>> -> !lanewise.tensor_memory<128x64xf16>
  %pd = lanewise.tcgen05.address %s[%i] : memref<4xi32, #gpu.address_space<workgroup>> -> !lanewise.tensor_memory<128x64xf16, padded>
  lanewise.tcgen05.mma %d, %a[%i, %i], %b[%i, %i], %no {depth = 64 : i64, transposeB} : !lanewise.tensor_memory<128x64xf32>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>
  lanewise.tcgen05.mma_held %d, %h, %b[%i, %i], %no {depth = 64 : i64} : !lanewise.tensor_memory<128x64xf32>, !lanewise.tensor_memory<128x64xf16>, memref<64x64xf16, #gpu.address_space<workgroup>>
  lanewise.tcgen05.cp %d, %a[%i, %i] {shape = "128x256b"} : !lanewise.tensor_memory<128x64xf32>, memref<128x64xf16, #gpu.address_space<workgroup>>
  lanewise.tcgen05.commit %bar[%i] : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
  lanewise.tcgen05.fence {kind = "after_thread_sync"}
  %p = lanewise.tcgen05.part %d[%i, %i] : !lanewise.tensor_memory<128x64xf32> to !lanewise.tensor_memory<32x64xf32>
  %u = lanewise.tcgen05.ld %p {shape = "32x32b"} : !lanewise.tensor_memory<32x64xf32> -> vector<64xf32>
  %v = lanewise.tcgen05.wait_ld %u : vector<64xf32>
  lanewise.tcgen05.st %v, %p {shape = "32x32b"} : vector<64xf32>, !lanewise.tensor_memory<32x64xf32>
  lanewise.tcgen05.wait_st
  lanewise.tcgen05.dealloc %d {columns = 64 : i32} : !lanewise.tensor_memory<128x64xf32>
  return
}
