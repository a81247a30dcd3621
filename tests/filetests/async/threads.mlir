// test roundtrip
// test run target=sm_80
// test run target=sm_80 N=50
// test run target=sm_90
// Each thread copies four bytes, eight and sixteen, as many of them as there are in %x.
// expect sm_80: barriers 1, loads 0
// lanewise.args N = 64 : x = normal(N), y = empty(64) ; grid = 1
gpu.func @pieces(%x: memref<?xf32> {llvm.align = 16 : i64}, %y: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c48 = arith.constant 48 : index
  %c32 = arith.constant 32 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %s = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
  %t = gpu.thread_id x
  // Numbers 0 to 31 one by one; 32 to 47 in pairs of the first eight threads; the last sixteen in fours of four.
  %left1 = arith.subi %n, %t : index
  %lower1 = arith.maxsi %left1, %c0 : index
  %one = arith.minsi %lower1, %c1 : index
  %a = nvgpu.device_async_copy %x[%t], %s[%t], 1, %one : memref<?xf32> to memref<64xf32, #gpu.address_space<workgroup>>
  %eight = arith.cmpi ult, %t, %c8 : index
  scf.if %eight {
    %twice = arith.muli %t, %c2 : index
    %at = arith.addi %twice, %c32 : index
    %left2 = arith.subi %n, %at : index
    %lower2 = arith.maxsi %left2, %c0 : index
    %two = arith.minsi %lower2, %c2 : index
    %b = nvgpu.device_async_copy %x[%at], %s[%at], 2, %two : memref<?xf32> to memref<64xf32, #gpu.address_space<workgroup>>
  }
  %four = arith.cmpi ult, %t, %c4 : index
  scf.if %four {
    %times = arith.muli %t, %c4 : index
    %at = arith.addi %times, %c48 : index
    %left4 = arith.subi %n, %at : index
    %lower4 = arith.maxsi %left4, %c0 : index
    %some = arith.minsi %lower4, %c4 : index
    %b = nvgpu.device_async_copy %x[%at], %s[%at], 4, %some bypassL1 : memref<?xf32> to memref<64xf32, #gpu.address_space<workgroup>>
  }
  %g = nvgpu.device_async_create_group %a
  nvgpu.device_async_wait %g
  gpu.barrier
  %far = arith.addi %t, %c32 : index
  %u = memref.load %s[%t] : memref<64xf32, #gpu.address_space<workgroup>>
  %v = memref.load %s[%far] : memref<64xf32, #gpu.address_space<workgroup>>
  memref.store %u, %y[%t] : memref<64xf32>
  memref.store %v, %y[%far] : memref<64xf32>
  gpu.return
}
