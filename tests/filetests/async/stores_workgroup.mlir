// test roundtrip
// test run target=sm_90
// test run target=sm_90 M=50 N=40
// test run target=sm_90a M=128 N=64
// A workgroup doubles tiles of 32x64 floats, and stores each as a box with rows of 256 bytes, row by row. One thread stores, and
// waits until the box was read; barriers are found: before the store, with a fence, and before what is written next.
// expect sm_90: copies 1, barriers 2, shared bytes 8192
// lanewise.args M = 128, N = 64 : x = normal(128, 64), y = empty(M, N) ; grid = 2
#space = #gpu.address_space<workgroup>
!box = !nvgpu.tensormap.descriptor<tensor = memref<32x64xf32, #space>, swizzle = none, l2promo = none, oob = zero,
  interleave = none>
gpu.func @tiles(%x: memref<128x64xf32>, %y: memref<?x?xf32> {llvm.align = 16 : i64, lanewise.divisibility = array<i64: 1, 4>})
    kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.subgroup_size = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f32
  %map = nvgpu.tma.create.descriptor %y box[%c32, %c64] : memref<?x?xf32> -> !box
  %s = memref.alloc() : memref<32x64xf32, #space>
  %b = gpu.block_id x
  %from = arith.muli %b, %c64 : index
  %to = arith.addi %from, %c64 : index
  scf.for %i = %from to %to step %c32 {
    %v = vector.transfer_read %x[%i, %c0], %pad {in_bounds = [true, true]} : memref<128x64xf32>, vector<32x64xf32>
    %w = arith.addf %v, %v : vector<32x64xf32>
    vector.transfer_write %w, %s[%c0, %c0] {in_bounds = [true, true]} : vector<32x64xf32>, memref<32x64xf32, #space>
    nvgpu.tma.async.store %s to %map[%c0, %i] : memref<32x64xf32, #space> -> !box
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0 read
  }
  gpu.return
}
