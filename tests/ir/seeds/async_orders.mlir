#swizzle = #iree_codegen.xor_shuffle<64, 8>
#space = #gpu.address_space<workgroup>
gpu.func @two_boxes(%x: memref<4x16x128xf16> {llvm.align = 16 : i64}, %y: memref<4x16x128xf16> {llvm.align = 16 : i64}) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %pad = arith.constant 0.0 : f16
  %two = memref.alloc() {iree_codegen.swizzle = #swizzle, lanewise.box = 64 : i64} : memref<2x16x128xf16, #space>
  scf.for %i = %c0 to %c4 step %c1 iter_args(%slot = %c0) -> (index) {
    %copy = lanewise.async_copy %x[%i, %c0, %c0], %two[%slot, %c0, %c0] {shape = array<i64: 16, 128>}
      : memref<4x16x128xf16> to memref<2x16x128xf16, #space>
    %group = nvgpu.device_async_create_group %copy
    nvgpu.device_async_wait %group
    %v = vector.transfer_read %two[%slot, %c0, %c0], %pad {in_bounds = [true, true]} : memref<2x16x128xf16, #space>, vector<16x128xf16>
    vector.transfer_write %v, %y[%i, %c0, %c0] {in_bounds = [true, true]} : vector<16x128xf16>, memref<4x16x128xf16>
    %other = arith.subi %c1, %slot : index
    scf.yield %other : index
  }
  gpu.return
}
