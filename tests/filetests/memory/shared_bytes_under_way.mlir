// What a copy may still write, nobody else has: no wait is certain to be met between it and the next use of the bytes.
// A wait in a branch that is not taken.
// test run target=sm_80
// expect sm_80: shared bytes 4096
// lanewise.args x = integers(-3, 3), z = integers(-3, 3), y = empty(), w = empty(), c = 0
#group = #gpu.address_space<workgroup>
gpu.func @branch(%x: memref<512xf32> {llvm.align = 16 : i64}, %z: memref<512xf32>, %y: memref<512xf32>, %w: memref<512xf32>, %c: i32) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %p = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<512xf32, #group>
  %b = memref.alloc() : memref<512xf32, #group>
  %v = vector.transfer_read %z[%c0], %p {in_bounds = [true]} : memref<512xf32>, vector<512xf32>
  %copy = lanewise.async_copy %x[%c0], %a[%c0] {shape = array<i64: 512>} : memref<512xf32> to memref<512xf32, #group>
  %g = nvgpu.device_async_create_group %copy
  %taken = arith.cmpi ne, %c, %none : i32
  %r = scf.if %taken -> (vector<512xf32>) {
    nvgpu.device_async_wait %g numGroups = 0
    %s = vector.transfer_read %a[%c0], %p {in_bounds = [true]} : memref<512xf32, #group>, vector<512xf32>
    scf.yield %s : vector<512xf32>
  } else {
    scf.yield %v : vector<512xf32>
  }
  vector.transfer_write %r, %w[%c0] {in_bounds = [true]} : vector<512xf32>, memref<512xf32>
  gpu.barrier
  vector.transfer_write %v, %b[%c0] {in_bounds = [true]} : vector<512xf32>, memref<512xf32, #group>
  gpu.barrier
  %t = vector.transfer_read %b[%c0], %p {in_bounds = [true]} : memref<512xf32, #group>, vector<512xf32>
  vector.transfer_write %t, %y[%c0] {in_bounds = [true]} : vector<512xf32>, memref<512xf32>
  gpu.return
}
// -----
// Nobody waits for what nobody reads.
// expect sm_80: shared bytes 4096
// lanewise.args x = integers(-3, 3), z = integers(-3, 3), y = empty()
#group = #gpu.address_space<workgroup>
gpu.func @unread(%x: memref<512xf32> {llvm.align = 16 : i64}, %z: memref<512xf32>, %y: memref<512xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<512xf32, #group>
  %b = memref.alloc() : memref<512xf32, #group>
  %v = vector.transfer_read %z[%c0], %p {in_bounds = [true]} : memref<512xf32>, vector<512xf32>
  %copy = lanewise.async_copy %x[%c0], %a[%c0] {shape = array<i64: 512>} : memref<512xf32> to memref<512xf32, #group>
  %g = nvgpu.device_async_create_group %copy
  gpu.barrier
  vector.transfer_write %v, %b[%c0] {in_bounds = [true]} : vector<512xf32>, memref<512xf32, #group>
  gpu.barrier
  %t = vector.transfer_read %b[%c0], %p {in_bounds = [true]} : memref<512xf32, #group>, vector<512xf32>
  vector.transfer_write %t, %y[%c0] {in_bounds = [true]} : vector<512xf32>, memref<512xf32>
  gpu.return
}
// -----
// A ring whose last copy ahead is not waited for: the loop's wait leaves it under way.
// expect sm_80: shared bytes 6144
// lanewise.args x = integers(-3, 3), z = integers(-3, 3), y = empty(), w = empty()
#group = #gpu.address_space<workgroup>
gpu.func @ahead(%x: memref<32x64xf32> {llvm.align = 16 : i64}, %z: memref<512xf32>, %y: memref<512xf32>, %w: memref<32x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %p = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<2x32x16xf32, #group>
  %b = memref.alloc() : memref<512xf32, #group>
  %v = vector.transfer_read %z[%c0], %p {in_bounds = [true]} : memref<512xf32>, vector<512xf32>
  %first = lanewise.async_copy %x[%c0, %c0], %a[%c0, %c0, %c0] {shape = array<i64: 32, 16>}
    : memref<32x64xf32> to memref<2x32x16xf32, #group>
  %g = nvgpu.device_async_create_group %first
  %r = scf.for %j = %c0 to %c64 step %c16 iter_args(%slot = %c0) -> (index) {
    %ahead = arith.addi %j, %c16 : index
    %wrapped = arith.remui %ahead, %c64 : index
    %other = arith.subi %c1, %slot : index
    %next = lanewise.async_copy %x[%c0, %wrapped], %a[%other, %c0, %c0] {shape = array<i64: 32, 16>}
      : memref<32x64xf32> to memref<2x32x16xf32, #group>
    %group = nvgpu.device_async_create_group %next
    nvgpu.device_async_wait %group numGroups = 1
    %t = vector.transfer_read %a[%slot, %c0, %c0], %p {in_bounds = [true, true]} : memref<2x32x16xf32, #group>, vector<32x16xf32>
    vector.transfer_write %t, %w[%c0, %j] {in_bounds = [true, true]} : vector<32x16xf32>, memref<32x64xf32>
    scf.yield %other : index
  }
  gpu.barrier
  vector.transfer_write %v, %b[%c0] {in_bounds = [true]} : vector<512xf32>, memref<512xf32, #group>
  gpu.barrier
  %t = vector.transfer_read %b[%c0], %p {in_bounds = [true]} : memref<512xf32, #group>, vector<512xf32>
  vector.transfer_write %t, %y[%c0] {in_bounds = [true]} : vector<512xf32>, memref<512xf32>
  gpu.return
}
