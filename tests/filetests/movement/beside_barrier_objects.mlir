// A transposition takes turns in what the program's own buffer and its barrier object leave of shared memory: 64 * 64 * 4 bytes
// would have been all that the buffer leaves of the 232448 of sm_90, and the object takes 8 of them.
// test run target=sm_90
// lanewise.args x = integers(-9, 9, 64, 64), y = zeros(64, 64), z = integers(-9, 9, 54016) ; grid = 1
gpu.func @f(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %z: memref<54016xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 0.0 : f32
  %big = memref.alloc() : memref<54016xf32, #gpu.address_space<workgroup>>
  %b = nvgpu.mbarrier.create -> !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
  nvgpu.mbarrier.init %b[%c0], %c1 : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
  %w = vector.transfer_read %z[%c0], %p {in_bounds = [true]} : memref<54016xf32>, vector<128xf32>
  vector.transfer_write %w, %big[%c0] {in_bounds = [true]} : vector<128xf32>, memref<54016xf32, #gpu.address_space<workgroup>>
  %v = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %t = vector.transpose %v, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
  vector.transfer_write %t, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  %u = vector.transfer_read %big[%c0], %p {in_bounds = [true]} : memref<54016xf32, #gpu.address_space<workgroup>>, vector<128xf32>
  vector.transfer_write %u, %z[%c0] {in_bounds = [true]} : vector<128xf32>, memref<54016xf32>
  gpu.return
}
