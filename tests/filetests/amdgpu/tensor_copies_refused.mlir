// What copies of tensors by a descriptor do not take.
// test verify
#group = #gpu.address_space<workgroup>
func.func @bases(%x: memref<8x16xi32>, %s: memref<4x8xi32, #group>, %f: memref<4x8xf32, #group>,
                 %p: memref<8xi4>, %q: memref<8xi4, #group>, %i: index) {
  // expected-error@+1 {{needs 2 indices for memref<8x16xi32>, found 1}}
  %0 = amdgpu.make_dma_base %x[%i], %s[%i, %i] : memref<8x16xi32>, memref<4x8xi32, #group> -> !amdgpu.tdm_base<i32>
  // expected-error@+1 {{needs 2 indices for memref<4x8xi32, #gpu.address_space<workgroup>>, found 0}}
  %1 = amdgpu.make_dma_base %x[%i, %i], %s[] : memref<8x16xi32>, memref<4x8xi32, #group> -> !amdgpu.tdm_base<i32>
  // expected-error@+1 {{begins in global memory, found memref<4x8xi32, #gpu.address_space<workgroup>>}}
  %2 = amdgpu.make_dma_base %s[%i, %i], %s[%i, %i] : memref<4x8xi32, #group>, memref<4x8xi32, #group> -> !amdgpu.tdm_base<i32>
  // expected-error@+1 {{begins in workgroup memory (#gpu.address_space<workgroup>), found memref<8x16xi32>}}
  %3 = amdgpu.make_dma_base %x[%i, %i], %x[%i, %i] : memref<8x16xi32>, memref<8x16xi32> -> !amdgpu.tdm_base<i32>
  // expected-error@+1 {{element types differ: memref<8x16xi32>, memref<4x8xf32, #gpu.address_space<workgroup>> and !amdgpu.tdm_base<i32>}}
  %4 = amdgpu.make_dma_base %x[%i, %i], %f[%i, %i] : memref<8x16xi32>, memref<4x8xf32, #group> -> !amdgpu.tdm_base<i32>
  // expected-error@+1 {{is of elements of 1, 2, 4 or 8 bytes, found i4}}
  %5 = amdgpu.make_dma_base %p[%i], %q[%i] : memref<8xi4>, memref<8xi4, #group> -> !amdgpu.tdm_base<i4>
  // expected-error@+1 {{result 'base' must be a !amdgpu.tdm_base, found !amdgpu.tdm_gather_base<i32, i16>}}
  %6 = amdgpu.make_dma_base %x[%i, %i], %s[%i, %i] : memref<8x16xi32>, memref<4x8xi32, #group> -> !amdgpu.tdm_gather_base<i32, i16>
  // expected-error@+1 {{result 'base' must be a !amdgpu.tdm_gather_base, found !amdgpu.tdm_base<i32>}}
  %7 = amdgpu.make_gather_dma_base %x[%i, %i], %s[%i, %i] : memref<8x16xi32>, memref<4x8xi32, #group> -> !amdgpu.tdm_base<i32>
  return
}
// -----
#group = #gpu.address_space<workgroup>
func.func @descriptors(%x: memref<8x16xi32>, %s: memref<4x8xi32, #group>, %w: memref<!amdgpu.ds_barrier_state>, %v: memref<2x!amdgpu.ds_barrier_state, #group>,
                       %i: index, %t: i1, %unknown: !amdgpu.tdm_base<i32>, %made: !amdgpu.tdm_descriptor) {
  %most = arith.constant 65536 : index
  %wide = arith.constant 4294967296 : index
  %c257 = arith.constant 257 : index
  %three = arith.constant 3 : i32
  %four = arith.constant 4 : i32
  %many = arith.constant 129 : i32
  %b = amdgpu.make_dma_base %x[%i, %i], %s[%i, %i] : memref<8x16xi32>, memref<4x8xi32, #group> -> !amdgpu.tdm_base<i32>
  // expected-error@+1 {{is of one rank, found 1 sizes, 2 strides, 2 of the tile}}
  %0 = amdgpu.make_dma_descriptor %b globalSize [8] globalStride [16, 1] sharedSize [4, 8] : !amdgpu.tdm_base<i32> -> !amdgpu.tdm_descriptor
  // expected-error@+1 {{is of 1 to 5 dimensions, found 6}}
  %1 = amdgpu.make_dma_descriptor %b globalSize [1, 1, 1, 1, 8, 8] globalStride [1, 1, 1, 1, 16, 1] sharedSize [1, 1, 1, 1, 4, 8] : !amdgpu.tdm_base<i32> -> !amdgpu.tdm_descriptor
  // expected-error@+1 {{is of 1 to 3 dimensions, found 4}}
  %2 = amdgpu.make_dma_descriptor %b globalSize [1, 1, 8, 8] globalStride [1, 1, 16, 1] sharedSize [1, 1, 4, 8] iterate %i, %three, %i : !amdgpu.tdm_base<i32> -> !amdgpu.tdm_descriptor
  // expected-error@+1 {{is of rows whose elements are neighbours: the innermost stride is 1}}
  %3 = amdgpu.make_dma_descriptor %b globalSize [8, 8] globalStride [16, 2] sharedSize [4, 8] : !amdgpu.tdm_base<i32> -> !amdgpu.tdm_descriptor
  // expected-error@+1 {{has the size 4294967296, of at most 4294967295}}
  %4 = amdgpu.make_dma_descriptor %b globalSize [8, %wide] globalStride [16, 1] sharedSize [4, 8] : !amdgpu.tdm_base<i32> -> !amdgpu.tdm_descriptor
  // expected-error@+1 {{has the extent 65536, of at most 65535}}
  %5 = amdgpu.make_dma_descriptor %b globalSize [8, 8] globalStride [16, 1] sharedSize [4, %most] : !amdgpu.tdm_base<i32> -> !amdgpu.tdm_descriptor
  // expected-error@+1 {{has the stride 281474976710656, of at most 281474976710655}}
  %6 = amdgpu.make_dma_descriptor %b globalSize [8, 8] globalStride [281474976710656, 1] sharedSize [4, 8] : !amdgpu.tdm_base<i32> -> !amdgpu.tdm_descriptor
  // expected-error@+1 {{leaves out 1 to 128 words, found 129}}
  %7 = amdgpu.make_dma_descriptor %b globalSize [8, 8] globalStride [16, 1] sharedSize [4, 8] padShared(%many every %four) : !amdgpu.tdm_base<i32> -> !amdgpu.tdm_descriptor
  // expected-error@+1 {{leaves words out after 2, 4, 8, .. or 256, found 3}}
  %8 = amdgpu.make_dma_descriptor %b globalSize [8, 8] globalStride [16, 1] sharedSize [4, 8] padShared(%three every %three) : !amdgpu.tdm_base<i32> -> !amdgpu.tdm_descriptor
  // expected-error@+1 {{is repeated 1 to 256 times, found 257}}
  %9 = amdgpu.make_dma_descriptor %b globalSize [8, 8] globalStride [16, 1] sharedSize [4, 8] iterate %i, %three, %c257 : !amdgpu.tdm_base<i32> -> !amdgpu.tdm_descriptor
  // expected-error@+1 {{has earlyTimeout, which goes with workgroupMask}}
  %10 = "amdgpu.make_dma_descriptor"(%b, %t) {global_static_sizes = array<i64: 8, 8>, global_static_strides = array<i64: 16, 1>, shared_static_sizes = array<i64: 4, 8>, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0>} : (!amdgpu.tdm_base<i32>, i1) -> !amdgpu.tdm_descriptor
  // expected-error@+1 {{has indices of a barrier, and none}}
  %11 = "amdgpu.make_dma_descriptor"(%b, %i) {global_static_sizes = array<i64: 8, 8>, global_static_strides = array<i64: 16, 1>, shared_static_sizes = array<i64: 4, 8>, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0>} : (!amdgpu.tdm_base<i32>, index) -> !amdgpu.tdm_descriptor
  // expected-error@+1 {{is of barriers in workgroup memory (#gpu.address_space<workgroup>), found memref<!amdgpu.ds_barrier_state>}}
  %12 = amdgpu.make_dma_descriptor %b globalSize [8, 8] globalStride [16, 1] sharedSize [4, 8] atomicBarrier(%w[] : memref<!amdgpu.ds_barrier_state>) : !amdgpu.tdm_base<i32> -> !amdgpu.tdm_descriptor
  // expected-error@+1 {{needs 1 indices}}
  %13 = amdgpu.make_dma_descriptor %b globalSize [8, 8] globalStride [16, 1] sharedSize [4, 8] atomicBarrier(%v[] : memref<2x!amdgpu.ds_barrier_state, #group>) : !amdgpu.tdm_base<i32> -> !amdgpu.tdm_descriptor
  // expected-error@+1 {{has a base that no operation here makes: descriptors say where tiles begin themselves}}
  %14 = amdgpu.make_dma_descriptor %unknown globalSize [8, 8] globalStride [16, 1] sharedSize [4, 8] : !amdgpu.tdm_base<i32> -> !amdgpu.tdm_descriptor
  // expected-error@+1 {{has a descriptor that no operation here makes: what it touches would be unknown}}
  amdgpu.tensor_load_to_lds %made : !amdgpu.tdm_descriptor
  // expected-error@+1 {{has a descriptor that no operation here makes}}
  amdgpu.tensor_store_from_lds %made : !amdgpu.tdm_descriptor
  return
}
// -----
#group = #gpu.address_space<workgroup>
func.func @gathers(%x: memref<8x16xi32>, %s: memref<4x8xi32, #group>, %i: index, %n: i32, %r: vector<4xi16>, %l: vector<16xi32>) {
  %b = amdgpu.make_gather_dma_base %x[%i, %i], %s[%i, %i] : memref<8x16xi32>, memref<4x8xi32, #group> -> !amdgpu.tdm_gather_base<i32, i16>
  %c = amdgpu.make_gather_dma_base %x[%i, %i], %s[%i, %i] : memref<8x16xi32>, memref<4x8xi32, #group> -> !amdgpu.tdm_gather_base<i32, i32>
  // expected-error@+1 {{is of 2 dimensions, found 1}}
  %0 = amdgpu.make_gather_dma_descriptor %b[%r] globalSize [8] globalStride [1] sharedSize [4] : !amdgpu.tdm_gather_base<i32, i16>, vector<4xi16> -> !amdgpu.tdm_descriptor
  // expected-error@+1 {{gathers 4 rows to a tile of 3}}
  %1 = amdgpu.make_gather_dma_descriptor %b[%r] globalSize [8, 8] globalStride [16, 1] sharedSize [3, 8] : !amdgpu.tdm_gather_base<i32, i16>, vector<4xi16> -> !amdgpu.tdm_descriptor
  // expected-error@+1 {{gathers rows, which is not repeated}}
  %2 = amdgpu.make_gather_dma_descriptor %b[%r] globalSize [8, 8] globalStride [16, 1] sharedSize [4, 8] iterate %i, %n, %i : !amdgpu.tdm_gather_base<i32, i16>, vector<4xi16> -> !amdgpu.tdm_descriptor
  // expected-error@+1 {{gathers rows by i32, found vector<4xi16>}}
  %3 = amdgpu.make_gather_dma_descriptor %c[%r] globalSize [8, 8] globalStride [16, 1] sharedSize [4, 8] : !amdgpu.tdm_gather_base<i32, i32>, vector<4xi16> -> !amdgpu.tdm_descriptor
  // expected-error@+1 {{operand 'indices' must be a vector of up to 8 i32 or 16 i16, found vector<16xi32>}}
  %4 = amdgpu.make_gather_dma_descriptor %c[%l] globalSize [8, 8] globalStride [16, 1] sharedSize [16, 8] : !amdgpu.tdm_gather_base<i32, i32>, vector<16xi32> -> !amdgpu.tdm_descriptor
  return
}
// -----
// expected-error@+1 {{rows are gathered by i16 or i32, found i8}}
func.func @index(%b: !amdgpu.tdm_gather_base<i32, i8>) {
  return
}
// -----
func.func @wait() {
  // expected-error@+1 {{'amdgpu.memory_counter_wait' waits for load and tensor, other counters are not supported}}
  amdgpu.memory_counter_wait store(0)
  return
}
// -----
func.func @negative() {
  // expected-error@+1 {{rocdl.s.wait.tensorcnt}}
  rocdl.s.wait.tensorcnt -1
  return
}
