// test roundtrip
// test run target=gfx950
// test run target=gfx950 N=100
// Tiles of whole rows are copied by lanes, each what belongs where it writes; one that may leave memory comes at once, through
// registers, and so does one under a condition. A thread has 16 bytes of each: rows that are multiples of 8 bytes take two loads.
// expect gfx950: copies 1, loads 3, shared bytes 12288
// lanewise.args N = 128 : x = normal(32, N), y = empty(96, 64) ; grid = 1
#space = #gpu.address_space<workgroup>
gpu.func @tiles(%x: memref<32x?xf16> {llvm.align = 16 : i64, lanewise.divisibility = array<i64: 1, 4>}, %y: memref<96x64xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %on = arith.constant true
  %pad = arith.constant 0.0 : f16
  %flat = memref.reinterpret_cast %x to offset: [0], sizes: [32, 64], strides: [64, 1] : memref<32x?xf16> to memref<32x64xf16, strided<[64, 1]>>
  %three = memref.alloc() {iree_codegen.swizzle = #iree_codegen.xor_shuffle<64, 8>} : memref<3x32x64xf16, #space>
  %0 = lanewise.async_copy %flat[%c0, %c0], %three[%c0, %c0, %c0] {shape = array<i64: 32, 64>, in_bounds = [true, true]}
    : memref<32x64xf16, strided<[64, 1]>> to memref<3x32x64xf16, #space>
  %1 = lanewise.async_copy %x[%c0, %c64], %three[%c1, %c0, %c0] {shape = array<i64: 32, 64>} : memref<32x?xf16> to memref<3x32x64xf16, #space>
  %2 = lanewise.async_copy %flat[%c0, %c0], %three[%c2, %c0, %c0] if %on {shape = array<i64: 32, 64>, in_bounds = [true, true]}
    : memref<32x64xf16, strided<[64, 1]>> to memref<3x32x64xf16, #space>
  %group = nvgpu.device_async_create_group %0, %1, %2
  nvgpu.device_async_wait %group
  %a = vector.transfer_read %three[%c0, %c0, %c0], %pad {in_bounds = [true, true]} : memref<3x32x64xf16, #space>, vector<32x64xf16>
  %b = vector.transfer_read %three[%c1, %c0, %c0], %pad {in_bounds = [true, true]} : memref<3x32x64xf16, #space>, vector<32x64xf16>
  %c = vector.transfer_read %three[%c2, %c0, %c0], %pad {in_bounds = [true, true]} : memref<3x32x64xf16, #space>, vector<32x64xf16>
  vector.transfer_write %a, %y[%c0, %c0] {in_bounds = [true, true]} : vector<32x64xf16>, memref<96x64xf16>
  vector.transfer_write %b, %y[%c32, %c0] {in_bounds = [true, true]} : vector<32x64xf16>, memref<96x64xf16>
  vector.transfer_write %c, %y[%c64, %c0] {in_bounds = [true, true]} : vector<32x64xf16>, memref<96x64xf16>
  gpu.return
}
