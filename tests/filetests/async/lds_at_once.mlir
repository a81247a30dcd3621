// test roundtrip
// test run target=gfx950
// Copies without async are done where they stand: the program says no wait. Two in a row are waited for together, in front
// of the barrier; the third writes what was read before it, and is read behind a barrier of its own.
// expect gfx950: barriers 3, copies 3, shared bytes 4096
// lanewise.args x = normal(4, 512), y = empty(4, 512) ; grid = 1
gpu.func @rows(%x: memref<4x512xf16> {llvm.align = 16 : i64}, %y: memref<4x512xf16> {llvm.align = 16 : i64}) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %s = memref.alloc() {iree_codegen.swizzle = #iree_codegen.xor_shuffle<64, 16, 512>} : memref<4x512xf16, #gpu.address_space<workgroup>>
  %t = gpu.thread_id x
  %l = arith.remui %t, %c64 : index
  %w = arith.divui %t, %c64 : index
  %w2 = arith.addi %w, %c2 : index
  %at = arith.muli %l, %c8 : index
  amdgpu.gather_to_lds %x[%w, %at], %s[%w, %c0] : vector<8xf16>, memref<4x512xf16>, memref<4x512xf16, #gpu.address_space<workgroup>>
  amdgpu.gather_to_lds %x[%w2, %at], %s[%w2, %c0] : vector<8xf16>, memref<4x512xf16>, memref<4x512xf16, #gpu.address_space<workgroup>>
  gpu.barrier
  %u = vector.load %s[%w2, %at] : memref<4x512xf16, #gpu.address_space<workgroup>>, vector<8xf16>
  vector.store %u, %y[%w, %at] : memref<4x512xf16>, vector<8xf16>
  gpu.barrier
  amdgpu.gather_to_lds %x[%w, %at], %s[%w2, %c0] : vector<8xf16>, memref<4x512xf16>, memref<4x512xf16, #gpu.address_space<workgroup>>
  gpu.barrier
  %v = vector.load %s[%w2, %at] : memref<4x512xf16, #gpu.address_space<workgroup>>, vector<8xf16>
  vector.store %v, %y[%w2, %at] : memref<4x512xf16>, vector<8xf16>
  gpu.return
}
// -----
// A lane reads what it copied itself, with no barrier between, and copies over it again.
// expect gfx950: barriers 0, copies 2, shared bytes 1024
// lanewise.args x = normal(128, 4), y = empty(64, 4), z = empty(64, 4) ; grid = 1
gpu.func @own(%x: memref<128x4xf32> {llvm.align = 16 : i64}, %y: memref<64x4xf32>, %z: memref<64x4xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %s = memref.alloc() : memref<64x4xf32, #gpu.address_space<workgroup>>
  %t = gpu.thread_id x
  %later = arith.addi %t, %c64 : index
  amdgpu.gather_to_lds %x[%t, %c0], %s[%c0, %c0] : vector<4xf32>, memref<128x4xf32>, memref<64x4xf32, #gpu.address_space<workgroup>>
  %u = vector.load %s[%t, %c0] : memref<64x4xf32, #gpu.address_space<workgroup>>, vector<4xf32>
  amdgpu.gather_to_lds %x[%later, %c0], %s[%c0, %c0] : vector<4xf32>, memref<128x4xf32>, memref<64x4xf32, #gpu.address_space<workgroup>>
  %v = vector.load %s[%t, %c0] : memref<64x4xf32, #gpu.address_space<workgroup>>, vector<4xf32>
  vector.store %u, %y[%t, %c0] : memref<64x4xf32>, vector<4xf32>
  vector.store %v, %z[%t, %c0] : memref<64x4xf32>, vector<4xf32>
  gpu.return
}
// -----
// To rows of 64 numbers that begin 80 apart, in a part of a buffer: a lane writes one, and what lies between stays.
// The barrier of one wave is none.
// expect gfx950: barriers 0, copies 4
// lanewise.args x = normal(4, 64), y = empty(4, 64) ; grid = 1
#group = #gpu.address_space<workgroup>
gpu.func @gaps(%x: memref<4x64xf32>, %y: memref<4x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %s = memref.alloc() : memref<5x80xf32, #group>
  %rows = memref.subview %s[1, 8] [4, 64] [1, 1] : memref<5x80xf32, #group> to memref<4x64xf32, strided<[80, 1], offset: 88>, #group>
  %t = gpu.thread_id x
  amdgpu.gather_to_lds %x[%c0, %t], %rows[%c0, %c0] : f32, memref<4x64xf32>, memref<4x64xf32, strided<[80, 1], offset: 88>, #group>
  amdgpu.gather_to_lds %x[%c1, %t], %rows[%c1, %c0] : f32, memref<4x64xf32>, memref<4x64xf32, strided<[80, 1], offset: 88>, #group>
  amdgpu.gather_to_lds %x[%c2, %t], %rows[%c2, %c0] : f32, memref<4x64xf32>, memref<4x64xf32, strided<[80, 1], offset: 88>, #group>
  amdgpu.gather_to_lds %x[%c3, %t], %rows[%c3, %c0] : f32, memref<4x64xf32>, memref<4x64xf32, strided<[80, 1], offset: 88>, #group>
  gpu.barrier
  scf.forall (%i, %j) in (4, 64) {
    %last = arith.constant 63 : index
    %other = arith.subi %last, %j : index
    %v = memref.load %rows[%i, %other] : memref<4x64xf32, strided<[80, 1], offset: 88>, #group>
    memref.store %v, %y[%i, %j] : memref<4x64xf32>
  } {mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]}
  gpu.return
}
