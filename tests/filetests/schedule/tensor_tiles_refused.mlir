// Instructions of four subgroups that are asked for by name, and that a contraction cannot take.
// test compile target=sm_90a
gpu.func @other_types(%a: memref<64x32xbf16>, %b: memref<64x32xbf16>, %c: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 32 : index
  %depth = arith.constant 32 : index
  %p = arith.constant 0.0 : bf16
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<64x64xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<64x32xbf16>, vector<64x32xbf16>
    %s = vector.transfer_read %b[%c0, %k], %p {in_bounds = [true, true]} : memref<64x32xbf16>, vector<64x32xbf16>
    %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, // expected-error {{NV_WGMMA_F32_64x32x16_F16 is asked for, which does not fit: it is none for bf16 * bf16 + f32}}
      affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>,
      lowering_config = #iree_gpu.lowering_config<{mma_kind = #lanewise.mma_layout<NV_WGMMA_F32_64x32x16_F16>}>}
      %l, %s, %sum : vector<64x32xbf16>, vector<64x32xbf16> into vector<64x64xf32>
    scf.yield %d : vector<64x64xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
gpu.func @three(%a: memref<64x32xf16>, %b: memref<64x32xf16>, %c: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 96, 1, 1>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 32 : index
  %depth = arith.constant 32 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<64x64xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<64x32xf16>, vector<64x32xf16>
    %s = vector.transfer_read %b[%c0, %k], %p {in_bounds = [true, true]} : memref<64x32xf16>, vector<64x32xf16>
    %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, // expected-error {{3 subgroups are no whole number of warpgroups}}
      affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>,
      lowering_config = #iree_gpu.lowering_config<{mma_kind = #lanewise.mma_layout<NV_WGMMA_F32_64x32x16_F16>}>}
      %l, %s, %sum : vector<64x32xf16>, vector<64x32xf16> into vector<64x64xf32>
    scf.yield %d : vector<64x64xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
gpu.func @columns(%a: memref<64x32xf16>, %b: memref<48x32xf16>, %c: memref<64x48xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 32 : index
  %depth = arith.constant 32 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x48xf32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<64x48xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<64x32xf16>, vector<64x32xf16>
    %s = vector.transfer_read %b[%c0, %k], %p {in_bounds = [true, true]} : memref<48x32xf16>, vector<48x32xf16>
    %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, // expected-error {{NV_WGMMA_F32_64x32x16_F16 does not divide 48 columns by 32}}
      affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>,
      lowering_config = #iree_gpu.lowering_config<{mma_kind = #lanewise.mma_layout<NV_WGMMA_F32_64x32x16_F16>}>}
      %l, %s, %sum : vector<64x32xf16>, vector<48x32xf16> into vector<64x48xf32>
    scf.yield %d : vector<64x48xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x48xf32>, memref<64x48xf32>
  gpu.return
}
// -----
gpu.func @rows(%a: memref<192x32xf16>, %b: memref<32x32xf16>, %c: memref<192x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 32 : index
  %depth = arith.constant 32 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<192x32xf32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<192x32xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<192x32xf16>, vector<192x32xf16>
    %s = vector.transfer_read %b[%c0, %k], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
    %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, // expected-error {{2 warpgroups do not divide 192 rows by 64 and 32 columns by 32}}
      affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>,
      lowering_config = #iree_gpu.lowering_config<{mma_kind = #lanewise.mma_layout<NV_WGMMA_F32_64x32x16_F16>}>}
      %l, %s, %sum : vector<192x32xf16>, vector<32x32xf16> into vector<192x32xf32>
    scf.yield %d : vector<192x32xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<192x32xf32>, memref<192x32xf32>
  gpu.return
}
// -----
gpu.func @not_in_shared_memory(%a: memref<64x32xf16>, %b: memref<32x32xf16>, %c: memref<64x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x32xf32>
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x32xf16>, vector<64x32xf16>
  %s = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, // expected-error {{rhs is not read from shared memory in an order that it knows, by contractions alone}}
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>,
    lowering_config = #iree_gpu.lowering_config<{mma_kind = #lanewise.mma_layout<NV_WGMMA_F32_64x32x16_F16>}>}
    %l, %s, %z : vector<64x32xf16>, vector<32x32xf16> into vector<64x32xf32>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x32xf32>, memref<64x32xf32>
  gpu.return
}
// -----
gpu.func @batched(%a: memref<2x64x32xf16>, %b: memref<2x32x32xf16>, %c: memref<2x64x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<2x64x32xf32>
  %l = vector.transfer_read %a[%c0, %c0, %c0], %p {in_bounds = [true, true, true]} : memref<2x64x32xf16>, vector<2x64x32xf16>
  %s = vector.transfer_read %b[%c0, %c0, %c0], %p {in_bounds = [true, true, true]} : memref<2x32x32xf16>, vector<2x32x32xf16>
  %d = vector.contract {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, // expected-error {{it takes one dimension each for rows, columns and the reduction}}
    affine_map<(b, m, n, k) -> (b, m, n)>],
    iterator_types = ["parallel", "parallel", "parallel", "reduction"], kind = #vector.kind<add>,
    lowering_config = #iree_gpu.lowering_config<{mma_kind = #lanewise.mma_layout<NV_WGMMA_F32_64x32x16_F16>}>}
    %l, %s, %z : vector<2x64x32xf16>, vector<2x32x32xf16> into vector<2x64x32xf32>
  vector.transfer_write %d, %c[%c0, %c0, %c0] {in_bounds = [true, true, true]} : vector<2x64x32xf32>, memref<2x64x32xf32>
  gpu.return
}
// -----
gpu.func @bytes(%a: memref<64x64xi8>, %b: memref<64x64xi8>, %c: memref<64x64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i8
  %z = arith.constant dense<0> : vector<64x64xi32>
  %ta = memref.alloc() {iree_codegen.swizzle = #iree_codegen.xor_shuffle<64, 16, 64, 2>} : memref<64x64xi8, #gpu.address_space<workgroup>>
  %tb = memref.alloc() {iree_codegen.swizzle = #iree_codegen.xor_shuffle<64, 16, 64, 2>} : memref<64x64xi8, #gpu.address_space<workgroup>>
  %v = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xi8>, vector<64x64xi8>
  %w = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xi8>, vector<64x64xi8>
  vector.transfer_write %v, %ta[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xi8>, memref<64x64xi8, #gpu.address_space<workgroup>>
  vector.transfer_write %w, %tb[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xi8>, memref<64x64xi8, #gpu.address_space<workgroup>>
  %l = vector.transfer_read %ta[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xi8, #gpu.address_space<workgroup>>, vector<64x64xi8>
  %s = vector.transfer_read %tb[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xi8, #gpu.address_space<workgroup>>, vector<64x64xi8>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, // expected-error {{rhs has elements of 8 bits, which have to be contiguous along the reduction}}
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>,
    lowering_config = #iree_gpu.lowering_config<{mma_kind = #lanewise.mma_layout<NV_WGMMA_I32_64x64x32_I8>}>}
    %l, %s, %z : vector<64x64xi8>, vector<64x64xi8> into vector<64x64xi32>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xi32>, memref<64x64xi32>
  gpu.return
}
// -----
gpu.func @boxes(%a: memref<64x64xf16>, %b: memref<64x192xf16>, %c: memref<64x192xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x192xf32>
  %ta = memref.alloc() {iree_codegen.swizzle = #iree_codegen.xor_shuffle<64, 8>} : memref<64x64xf16, #gpu.address_space<workgroup>>
  %tb = memref.alloc() {lanewise.box = 64 : i64, iree_codegen.swizzle = #iree_codegen.xor_shuffle<64, 8>} : memref<64x192xf16, #gpu.address_space<workgroup>>
  %v = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf16>, vector<64x64xf16>
  %w = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x192xf16>, vector<64x192xf16>
  vector.transfer_write %v, %ta[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf16>, memref<64x64xf16, #gpu.address_space<workgroup>>
  vector.transfer_write %w, %tb[%c0, %c0] {in_bounds = [true, true]} : vector<64x192xf16>, memref<64x192xf16, #gpu.address_space<workgroup>>
  %l = vector.transfer_read %ta[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<64x64xf16>
  %s = vector.transfer_read %tb[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x192xf16, #gpu.address_space<workgroup>>, vector<64x192xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, // expected-error {{rhs is cut into boxes of 64 elements, tiles of 48 begin inside of them}}
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>,
    lowering_config = #iree_gpu.lowering_config<{mma_kind = #lanewise.mma_layout<NV_WGMMA_F32_64x48x16_F16>}>}
    %l, %s, %z : vector<64x64xf16>, vector<64x192xf16> into vector<64x192xf32>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x192xf32>, memref<64x192xf32>
  gpu.return
}
// -----
gpu.func @of_another_chip(%a: memref<64x32xf16>, %b: memref<32x32xf16>, %c: memref<64x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x32xf32>
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x32xf16>, vector<64x32xf16>
  %s = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  // expected-error@+1 {{for f16 * f16 + f32 sm_90a has NV_MMA_SYNC_F32_16x8x8_F16, NV_MMA_SYNC_F32_16x8x16_F16, NV_WGMMA_F32_64xNx16_F16 with N from 8 to 256}}
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>,
    lowering_config = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>}>}
    %l, %s, %z : vector<64x32xf16>, vector<32x32xf16> into vector<64x32xf32>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x32xf32>, memref<64x32xf32>
  gpu.return
}
