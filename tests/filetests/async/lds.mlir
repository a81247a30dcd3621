// test roundtrip
// test run target=gfx950
// Two subgroups copy two rows each, of which pieces of 32 bytes change places as the buffer's order says; the second pair is
// still under way while the first is used. Each lane copies 16 bytes at once: no register has them.
// expect gfx950: barriers 2, copies 2, shared bytes 4096
// lanewise.args x = normal(4, 512), y = empty(4, 512) ; grid = 1
gpu.func @rows(%x: memref<4x512xf16> {llvm.align = 16 : i64}, %y: memref<4x512xf16> {llvm.align = 16 : i64}) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %s = memref.alloc() {iree_codegen.swizzle = #iree_codegen.xor_shuffle<64, 16, 512>} : memref<4x512xf16, #gpu.address_space<workgroup>>
  %t = gpu.thread_id x
  %l = arith.remui %t, %c64 : index
  %w = arith.divui %t, %c64 : index
  %w2 = arith.addi %w, %c2 : index
  %at = arith.muli %l, %c8 : index
  amdgpu.gather_to_lds async %x[%w, %at], %s[%w, %c0] : vector<8xf16>, memref<4x512xf16>, memref<4x512xf16, #gpu.address_space<workgroup>>
  amdgpu.gather_to_lds async %x[%w2, %at], %s[%w2, %c0] : vector<8xf16>, memref<4x512xf16>, memref<4x512xf16, #gpu.address_space<workgroup>>
  amdgpu.memory_counter_wait load(1)
  gpu.barrier
  %u = vector.load %s[%w, %at] : memref<4x512xf16, #gpu.address_space<workgroup>>, vector<8xf16>
  vector.store %u, %y[%w, %at] : memref<4x512xf16>, vector<8xf16>
  amdgpu.memory_counter_wait load(0)
  gpu.barrier
  %v = vector.load %s[%w2, %at] : memref<4x512xf16, #gpu.address_space<workgroup>>, vector<8xf16>
  vector.store %v, %y[%w2, %at] : memref<4x512xf16>, vector<8xf16>
  gpu.return
}
// -----
// A matrix of four rows and 16 columns for each 16 lanes: lane i reads four of row i / 4 and gets column i.
// expect gfx950: matrix loads 1
// lanewise.args x = normal(4, 64), y = empty(64, 4) ; grid = 1
gpu.func @columns(%x: memref<4x64xf16>, %y: memref<64x4xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %s = memref.alloc() : memref<4x64xf16, #gpu.address_space<workgroup>>
  %t = gpu.thread_id x
  %row = arith.divui %t, %c16 : index
  %i = arith.remui %t, %c16 : index
  %column = arith.muli %i, %c4 : index
  %v = vector.load %x[%row, %column] : memref<4x64xf16>, vector<4xf16>
  vector.store %v, %s[%row, %column] : memref<4x64xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  gpu.barrier
  %r = arith.divui %i, %c4 : index
  %first = arith.muli %row, %c16 : index
  %piece = arith.remui %i, %c4 : index
  %more = arith.muli %piece, %c4 : index
  %from = arith.addi %first, %more : index
  %w = amdgpu.transpose_load %s[%r, %from] : memref<4x64xf16, #gpu.address_space<workgroup>> -> vector<4xf16>
  vector.store %w, %y[%t, %c0] : memref<64x4xf16>, vector<4xf16>
  gpu.return
}
