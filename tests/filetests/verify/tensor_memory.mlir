// Tensor memory: what does not exist, and what is read before it is there.
// test verify
func.func @allocation(%s: memref<4xi32, #gpu.address_space<workgroup>>, %g: memref<4xi32>, %h: memref<4xf32, #gpu.address_space<workgroup>>, %i: index, %d: !lanewise.tensor_memory<128x64xf32>) {
  lanewise.tcgen05.alloc %s[%i] {columns = 48 : i32} : memref<4xi32, #gpu.address_space<workgroup>> // expected-error {{columns must be one of 32, 64, 128, 256, 512, found 48}}
  lanewise.tcgen05.alloc %g[%i] {columns = 64 : i32} : memref<4xi32> // expected-error {{slot must be in workgroup memory, found memref<4xi32>}}
  lanewise.tcgen05.alloc %s[%i, %i] {columns = 64 : i32} : memref<4xi32, #gpu.address_space<workgroup>> // expected-error {{slot needs 1 indices, found 2}}
  %a = lanewise.tcgen05.address %s[] : memref<4xi32, #gpu.address_space<workgroup>> -> !lanewise.tensor_memory<128x64xf32> // expected-error {{slot needs 1 indices, found 0}}
  lanewise.tcgen05.dealloc %d {columns = 16 : i32} : !lanewise.tensor_memory<128x64xf32> // expected-error {{columns must be one of 32, 64, 128, 256, 512, found 16}}
  %b = lanewise.tcgen05.address %h[%i] : memref<4xf32, #gpu.address_space<workgroup>> -> !lanewise.tensor_memory<128x64xf32> // expected-error {{slot must have elements of type i32, found f32}}
  lanewise.tcgen05.fence {kind = "later"} // expected-error {{kind must be before_thread_sync or after_thread_sync, found later}}
  return
}

// -----
func.func @parts(%d: !lanewise.tensor_memory<128x64xf32>, %h: !lanewise.tensor_memory<128x64xf16>, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  %0 = lanewise.tcgen05.part %d[%c96, %c0] : !lanewise.tensor_memory<128x64xf32> to !lanewise.tensor_memory<32x64xf32>
  %1 = lanewise.tcgen05.part %d[%c96, %c1] : !lanewise.tensor_memory<128x64xf32> to !lanewise.tensor_memory<64x64xf32> // expected-error {{is of 128 lanes, found 64 from 96 on}} // expected-error {{is of 64 columns, found 64 from 1 on}}
  %2 = lanewise.tcgen05.part %d[%i, %i] : !lanewise.tensor_memory<128x64xf32> to !lanewise.tensor_memory<32x128xf32> // expected-error {{is of 64 columns, found 128}}
  %3 = lanewise.tcgen05.part %d[%i, %i] : !lanewise.tensor_memory<128x64xf32> to !lanewise.tensor_memory<32x64xf16> // expected-error {{elements have 32 bits, found !lanewise.tensor_memory<32x64xf16>}}
  %4 = lanewise.tcgen05.part %h[%c0, %c1] : !lanewise.tensor_memory<128x64xf16> to !lanewise.tensor_memory<128x32xf16> // expected-error {{begins with a column of 32 bits, found element 1 of 16}}
  return
}

// -----
func.func @products(%d: !lanewise.tensor_memory<128x64xf32>, %e: !lanewise.tensor_memory<64x64xf32>, %w: !lanewise.tensor_memory<128x64xi32>, %p: !lanewise.tensor_memory<128x32xf16>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<64x64xf16, #gpu.address_space<workgroup>>, %f: memref<128x32xf32, #gpu.address_space<workgroup>>,
    %q: memref<128x128xi8, #gpu.address_space<workgroup>>, %g: memref<128x64xf16>, %i: index, %no: i1, %bar: !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>) {
  lanewise.tcgen05.mma %d, %a[%i, %i], %b[%i, %i], %no {depth = 24 : i64} : !lanewise.tensor_memory<128x64xf32>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>> // expected-error {{depth must be a multiple of 16, found 24}}
  lanewise.tcgen05.mma %e, %a[%i, %i], %b[%i, %i], %no {depth = 64 : i64} : !lanewise.tensor_memory<64x64xf32>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>> // expected-error {{is no instruction: 64 x 64 of f16 x f16 + f32}}
  lanewise.tcgen05.mma %w, %a[%i, %i], %b[%i, %i], %no {depth = 64 : i64} : !lanewise.tensor_memory<128x64xi32>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>> // expected-error {{is no instruction: 128 x 64 of f16 x f16 + i32}}
  lanewise.tcgen05.mma %d, %f[%i, %i], %f[%i, %i], %no {depth = 32 : i64} : !lanewise.tensor_memory<128x64xf32>, memref<128x32xf32, #gpu.address_space<workgroup>>, memref<128x32xf32, #gpu.address_space<workgroup>> // expected-error {{multiplies f32, which tensor cores do in tf32 precision only}}
  lanewise.tcgen05.mma %w, %q[%i, %i], %q[%i, %i], %no {depth = 32 : i64, transposeA, transposeB} : !lanewise.tensor_memory<128x64xi32>, memref<128x128xi8, #gpu.address_space<workgroup>>, memref<128x128xi8, #gpu.address_space<workgroup>> // expected-error {{matrixA is transposed, which is for elements of 16 bits, found i8}} // expected-error {{matrixB is transposed, which is for elements of 16 bits, found i8}}
  lanewise.tcgen05.mma %d, %a[%i], %b[%i], %no {depth = 64 : i64} : !lanewise.tensor_memory<128x64xf32>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>> // expected-error {{matrixA needs 2 indices, found 1}} // expected-error {{matrixB needs 2 indices, found 1}}
  lanewise.tcgen05.mma %d, %g[%i, %i], %b[%i, %i], %no {depth = 64 : i64} : !lanewise.tensor_memory<128x64xf32>, memref<128x64xf16>, memref<64x64xf16, #gpu.address_space<workgroup>> // expected-error {{matrixA must be in workgroup memory, found memref<128x64xf16>}}
  lanewise.tcgen05.mma_held %d, %p, %b[%i, %i], %no {depth = 64 : i64} : !lanewise.tensor_memory<128x64xf32>, !lanewise.tensor_memory<128x32xf16>, memref<64x64xf16, #gpu.address_space<workgroup>> // expected-error {{matrixA must be !lanewise.tensor_memory<128x64xf16>, found !lanewise.tensor_memory<128x32xf16>}}
  lanewise.tcgen05.cp %d, %a[%i] {shape = "1x1b"} : !lanewise.tensor_memory<128x64xf32>, memref<128x64xf16, #gpu.address_space<workgroup>> // expected-error {{source needs 2 indices, found 1}} // expected-error {{shape must be one of 128x256b, 4x256b, 128x128b, 64x128b.warpx2::02_13, 64x128b.warpx2::01_23, 32x128b.warpx4, found 1x1b}}
  %c1 = arith.constant 1 : index
  lanewise.tcgen05.commit %bar[%c1] : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>> // expected-error {{is of object 1, the group has 1}}
  return
}

// -----
func.func @moves(%d: !lanewise.tensor_memory<32x64xf32>, %s: !lanewise.tensor_memory<16x64xf32>, %h: !lanewise.tensor_memory<32x64xf16>, %v: vector<64xf32>, %n: vector<48xf32>, %w: vector<64xi32>, %x: vector<32xf16>, %b: vector<32xi8>, %y: vector<3xf16>, %p: !lanewise.tensor_memory<32x64xf16, padded>, %m: memref<64xf32>, %i: index) {
  %0 = lanewise.tcgen05.ld %d {shape = "32x32b"} : !lanewise.tensor_memory<32x64xf32> -> vector<64xf32>
  %1 = lanewise.tcgen05.wait_ld %0 : vector<64xf32>
  vector.store %1, %m[%i] : memref<64xf32>, vector<64xf32>
  %2 = lanewise.tcgen05.ld %d {shape = "32x32b"} : !lanewise.tensor_memory<32x64xf32> -> vector<64xf32> // expected-error {{is under way where 'vector.store' takes its result}}
  vector.store %2, %m[%i] : memref<64xf32>, vector<64xf32>
  lanewise.tcgen05.st %v, %d {shape = "8x8b"} : vector<64xf32>, !lanewise.tensor_memory<32x64xf32> // expected-error {{shape must be one of 32x32b, 16x64b, 16x128b, 16x256b, found 8x8b}}
  lanewise.tcgen05.st %n, %d {shape = "32x32b"} : vector<48xf32>, !lanewise.tensor_memory<32x64xf32> // expected-error {{with shape 32x32b a lane has 1 times a power of two up to 128, found vector<48xf32>}}
  lanewise.tcgen05.st %v, %s {shape = "16x256b"} : vector<64xf32>, !lanewise.tensor_memory<16x64xf32> // expected-error {{with shape 16x256b vector<64xf32> is !lanewise.tensor_memory<16x128xf32>, found !lanewise.tensor_memory<16x64xf32>}}
  lanewise.tcgen05.st %w, %d {shape = "32x32b"} : vector<64xi32>, !lanewise.tensor_memory<32x64xf32> // expected-error {{elements must be f32, found vector<64xi32>}}
  lanewise.tcgen05.st %v, %h {shape = "32x32b"} : vector<64xf32>, !lanewise.tensor_memory<32x64xf16> // expected-error {{moves elements of 32 bits, or padded ones, found vector<64xf32> and !lanewise.tensor_memory<32x64xf16>}}
  %3 = lanewise.tcgen05.wait_ld %b : vector<32xi8> // expected-error {{is of whole registers of 32 bits, found vector<32xi8>}}
  %4 = lanewise.tcgen05.wait_ld %y : vector<3xf16> // expected-error {{is of whole registers of 32 bits, found vector<3xf16>}}
  lanewise.tcgen05.st %x, %p {shape = "32x32b"} : vector<32xf16>, !lanewise.tensor_memory<32x64xf16, padded> // expected-error {{with shape 32x32b vector<32xf16> is !lanewise.tensor_memory<32x32xf16, padded>, found !lanewise.tensor_memory<32x64xf16, padded>}}
  return
}

// -----
func.func @padded(%d: !lanewise.tensor_memory<128x64xf16>, %p: !lanewise.tensor_memory<128x64xf16, padded>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<64x64xf16, #gpu.address_space<workgroup>>, %i: index, %no: i1) {
  lanewise.tcgen05.mma %d, %a[%i, %i], %b[%i, %i], %no {depth = 64 : i64} : !lanewise.tensor_memory<128x64xf16>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>> // expected-error {{accumulators of f16 must be !lanewise.tensor_memory<128x64xf16, padded>, found !lanewise.tensor_memory<128x64xf16>}}
  lanewise.tcgen05.mma %p, %a[%i, %i], %b[%i, %i], %no {depth = 64 : i64} : !lanewise.tensor_memory<128x64xf16, padded>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>
  %0 = lanewise.tcgen05.part %p[%i, %i] : !lanewise.tensor_memory<128x64xf16, padded> to !lanewise.tensor_memory<32x64xf16> // expected-error {{elements have 16 bits, padded, found !lanewise.tensor_memory<32x64xf16>}}
  return
}

// -----
func.func @wide(%d: !lanewise.tensor_memory<128x64xf32, padded>) { // expected-error {{elements of 16 bits are padded, found f32}}
  return
}

// -----
func.func @dimensions(%d: !lanewise.tensor_memory<128x64x2xf32>) { // expected-error {{tensor memory has lanes and columns, found 3 dimensions}}
  return
}

// -----
func.func @lanes(%d: !lanewise.tensor_memory<256x64xf32>) { // expected-error {{tensor memory has 128 lanes, found 256}}
  return
}

// -----
func.func @halves(%d: !lanewise.tensor_memory<128x63xf16>) { // expected-error {{rows are whole columns of 32 bits, found vector<128x63xf16>}}
  return
}

// -----
func.func @columns(%d: !lanewise.tensor_memory<128x1024xf32>) { // expected-error {{tensor memory has 512 columns of 32 bits, found 1024}}
  return
}
