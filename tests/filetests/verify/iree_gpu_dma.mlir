// test verify
#group = #gpu.address_space<workgroup>
func.func @coalesced(%x: memref<8x64xf32>, %narrow: memref<8x32xf32>, %half: memref<8x64xf16>, %deep: memref<2x8x64xf32>, %t: tensor<8x64xf32>,
                     %s: memref<8x64xf32, #group>, %v: vector<8xindex>, %w: vector<64xindex>, %square: vector<8x1xindex>,
                     %some: memref<?xindex>, %f: vector<8xf32>, %l: index) {
  iree_gpu.coalesced_gather_dma %x[%v] into %s lane(%l) : memref<8x64xf32>, vector<8xindex>, memref<8x64xf32, #group>, index
  iree_gpu.coalesced_gather_dma %narrow into %s lane(%l) in_bounds [true, false] : memref<8x32xf32>, memref<8x64xf32, #group>, index
  // expected-error@+1 {{expected unindexed dimension 1 to have same length in source and destination}}
  iree_gpu.coalesced_gather_dma %narrow into %s lane(%l) : memref<8x32xf32>, memref<8x64xf32, #group>, index
  // expected-error@+1 {{element types differ: memref<8x64xf16> and memref<8x64xf32, #gpu.address_space<workgroup>>}}
  iree_gpu.coalesced_gather_dma %half into %s lane(%l) : memref<8x64xf16>, memref<8x64xf32, #group>, index
  // expected-error@+1 {{copies between buffers of one rank, of 1 or more, found memref<2x8x64xf32>}}
  iree_gpu.coalesced_gather_dma %deep into %s lane(%l) : memref<2x8x64xf32>, memref<8x64xf32, #group>, index
  // expected-error@+1 {{source and init must both be tensors or both memrefs}}
  iree_gpu.coalesced_gather_dma %t into %s lane(%l) : tensor<8x64xf32>, memref<8x64xf32, #group>, index
  // expected-error@+1 {{all index vectors must have the length of the first dimension of memref<8x64xf32, #gpu.address_space<workgroup>>; index 1 is vector<64xindex>}}
  iree_gpu.coalesced_gather_dma %x[%v, %w] into %s lane(%l) : memref<8x64xf32>, vector<8xindex>, vector<64xindex>, memref<8x64xf32, #group>, index
  // expected-error@+1 {{expected index 0 to be a 1-D tensor, vector or memref, found vector<8x1xindex>}}
  iree_gpu.coalesced_gather_dma %x[%square] into %s lane(%l) : memref<8x64xf32>, vector<8x1xindex>, memref<8x64xf32, #group>, index
  // expected-error@+1 {{expected index 0 to have static shape, found memref<?xindex>}}
  iree_gpu.coalesced_gather_dma %x[%some] into %s lane(%l) : memref<8x64xf32>, memref<?xindex>, memref<8x64xf32, #group>, index
  // expected-error@+1 {{number of indices (3) cannot exceed destination rank (2)}}
  iree_gpu.coalesced_gather_dma %x[%v, %v, %v] into %s lane(%l)
    : memref<8x64xf32>, vector<8xindex>, vector<8xindex>, vector<8xindex>, memref<8x64xf32, #group>, index
  // expected-error@+1 {{operand 'indices' must be a vector, tensor or memref of index or integers, found vector<8xf32>}}
  iree_gpu.coalesced_gather_dma %x[%f] into %s lane(%l) : memref<8x64xf32>, vector<8xf32>, memref<8x64xf32, #group>, index
  // expected-error@+1 {{in_bounds array size (1) must match init rank (2)}}
  iree_gpu.coalesced_gather_dma %x into %s lane(%l) in_bounds [true] : memref<8x64xf32>, memref<8x64xf32, #group>, index
  // expected-error@+1 {{in_bounds must be a list of true and false, found [1, 2]}}
  iree_gpu.coalesced_gather_dma %x into %s lane(%l) in_bounds [1, 2] : memref<8x64xf32>, memref<8x64xf32, #group>, index
  // expected-error@+1 {{gives tensor<8x64xf32> or nothing, found tensor<8xf32>}}
  %0 = iree_gpu.coalesced_gather_dma %t into %t lane(%l) : tensor<8x64xf32>, tensor<8x64xf32>, index -> tensor<8xf32>
  %1 = scf.forall (%i) in (32) shared_outs(%o = %t) -> (tensor<8x64xf32>) {
    scf.forall.in_parallel {
      // expected-error@+1 {{must put something into a tensor of scf.forall}}
      iree_gpu.coalesced_gather_dma %t into %t lane(%i) : tensor<8x64xf32>, tensor<8x64xf32>, index
    }
  }
  return
}
// -----
#group = #gpu.address_space<workgroup>
func.func @async(%x: memref<20x64xf16>, %wide: memref<20x64xf32>, %deep: memref<3x20x64xf16>, %t: tensor<20x64xf16>, %e: tensor<1x64xf16>,
                 %s: memref<1x64xf16, #group>, %row: memref<64xf16, #group>, %single: memref<f16, #group>, %v: vector<4xindex>, %one: vector<1xindex>, %n: vector<1xi32>,
                 %square: vector<1x1xindex>, %i: index) {
  iree_gpu.async_dma %x[%one, %i] to %s[%i, %i], vector<1x64xf16> : memref<20x64xf16> [vector<1xindex>, index], memref<1x64xf16, #group>
  // expected-error@+1 {{expected 2 source indices (source rank), got 1}}
  iree_gpu.async_dma %x[%i] to %s[%i, %i], vector<1x64xf16> : memref<20x64xf16>, memref<1x64xf16, #group>
  // expected-error@+1 {{expected 2 dest indices (dest rank), got 1}}
  iree_gpu.async_dma %x[%i, %i] to %s[%i], vector<1x64xf16> : memref<20x64xf16>, memref<1x64xf16, #group>
  // expected-error@+1 {{permutation_map is required when source rank (2) differs from dest rank (1)}}
  iree_gpu.async_dma %x[%i, %i] to %row[%i], vector<64xf16> : memref<20x64xf16>, memref<64xf16, #group>
  // expected-error@+1 {{in_bounds array size (1) must match dest rank (2)}}
  iree_gpu.async_dma %x[%i, %i] to %s[%i, %i], vector<1x64xf16> in_bounds [true] : memref<20x64xf16>, memref<1x64xf16, #group>
  // expected-error@+1 {{transfer_type rank (1) must match dest rank (2)}}
  iree_gpu.async_dma %x[%i, %i] to %s[%i, %i], vector<64xf16> : memref<20x64xf16>, memref<1x64xf16, #group>
  // expected-error@+1 {{permutation_map num dims (1) must match source rank (2)}}
  iree_gpu.async_dma %x[%i, %i] to %row[%i], vector<64xf16> permutation_map affine_map<(d0) -> (d0)> : memref<20x64xf16>, memref<64xf16, #group>
  // expected-error@+1 {{permutation_map must be of dims alone, found (d0, d1)[s0] -> (d0, d1)}}
  iree_gpu.async_dma %x[%i, %i] to %s[%i, %i], vector<1x64xf16> permutation_map affine_map<(a, b)[c] -> (a, b)>
    : memref<20x64xf16>, memref<1x64xf16, #group>
  // expected-error@+1 {{transfers a vector of rank 1 or more, found vector<f16>}}
  iree_gpu.async_dma %single[] to %single[], vector<f16> : memref<f16, #group>, memref<f16, #group>
  // expected-error@+1 {{copies between buffers of one rank, of 1 or more, found memref<f16, #gpu.address_space<workgroup>>}}
  iree_gpu.coalesced_gather_dma %single into %single lane(%i) : memref<f16, #group>, memref<f16, #group>, index
  // expected-error@+1 {{permutation_map num results (1) must match dest rank (2)}}
  iree_gpu.async_dma %x[%i, %i] to %s[%i, %i], vector<1x64xf16> permutation_map affine_map<(d0, d1) -> (d0)>
    : memref<20x64xf16>, memref<1x64xf16, #group>
  // expected-error@+1 {{permutation_map must be a projected permutation, found (d0, d1) -> (d0, d0)}}
  iree_gpu.async_dma %x[%i, %i] to %s[%i, %i], vector<1x64xf16> permutation_map affine_map<(d0, d1) -> (d0, d0)>
    : memref<20x64xf16>, memref<1x64xf16, #group>
  // expected-error@+1 {{gather index size (4) for source dimension 0 must match transfer_type size (1) in dest dimension 0}}
  iree_gpu.async_dma %x[%v, %i] to %s[%i, %i], vector<1x64xf16> : memref<20x64xf16> [vector<4xindex>, index], memref<1x64xf16, #group>
  // expected-error@+1 {{source dimension 0 has a gather index but is not mapped by permutation_map}}
  iree_gpu.async_dma %deep[%one, %i, %i] to %s[%i, %i], vector<1x64xf16> permutation_map affine_map<(a, b, c) -> (b, c)>
    : memref<3x20x64xf16> [vector<1xindex>, index, index], memref<1x64xf16, #group>
  // expected-error@+1 {{source index 0 must be index or vector<Nxindex>, found vector<1xi32>}}
  iree_gpu.async_dma %x[%n, %i] to %s[%i, %i], vector<1x64xf16> : memref<20x64xf16> [vector<1xi32>, index], memref<1x64xf16, #group>
  // expected-error@+1 {{source index 0 must be index or vector<Nxindex>, found vector<1x1xindex>}}
  iree_gpu.async_dma %x[%square, %i] to %s[%i, %i], vector<1x64xf16> : memref<20x64xf16> [vector<1x1xindex>, index], memref<1x64xf16, #group>
  // expected-error@+1 {{element types differ: memref<20x64xf32> and memref<1x64xf16, #gpu.address_space<workgroup>>}}
  iree_gpu.async_dma %wide[%i, %i] to %s[%i, %i], vector<1x64xf16> : memref<20x64xf32>, memref<1x64xf16, #group>
  // expected-error@+1 {{transfers a vector of f16, found vector<1x64xf32>}}
  iree_gpu.async_dma %x[%i, %i] to %s[%i, %i], vector<1x64xf32> : memref<20x64xf16>, memref<1x64xf16, #group>
  // expected-error@+1 {{transfer_type must be a vector, found f16}}
  iree_gpu.async_dma %x[%i, %i] to %s[%i, %i], f16 : memref<20x64xf16>, memref<1x64xf16, #group>
  // expected-error@+1 {{gives tensor<1x64xf16>, found nothing}}
  iree_gpu.async_dma %t[%i, %i] to %e[%i, %i], vector<1x64xf16> : tensor<20x64xf16>, tensor<1x64xf16>
  // expected-error@+1 {{gives nothing, found tensor<1x64xf16>}}
  %0 = iree_gpu.async_dma %x[%i, %i] to %s[%i, %i], vector<1x64xf16> : memref<20x64xf16>, memref<1x64xf16, #group> -> tensor<1x64xf16>
  return
}
// -----
func.func @cast(%t: tensor<4xf32>, %m: memref<4xf32>, %n: index) {
  %0 = iree_gpu.buffer_resource_cast %t cacheSwizzleStride(%n) : tensor<4xf32>
  // expected-error@+1 {{operand 'input' must be a tensor, found memref<4xf32>}}
  %1 = "iree_gpu.buffer_resource_cast"(%m) : (memref<4xf32>) -> tensor<4xf32>
  return
}
