// test roundtrip
// test run target=sm_90
// Each of 64 threads writes a number and arrives; the first 32 arrive twice, once where it is not the last. Each asks for the phase of
// its arrival until it is over, and reads what its neighbour, of the other subgroup, wrote. No barrier but that after init.
// expect sm_90: barriers 1
// lanewise.args x = normal(64), y = empty(64) ; grid = 1
#space = #gpu.address_space<workgroup>
!one = !nvgpu.mbarrier.group<memorySpace = #space>
gpu.func @neighbours(%x: memref<64xf32>, %y: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c63 = arith.constant 63 : index
  %c96 = arith.constant 96 : index
  %true = arith.constant true
  %t = gpu.thread_id x
  %s = memref.alloc() : memref<64xf32, #space>
  %met = nvgpu.mbarrier.create -> !one
  %first = arith.cmpi eq, %t, %c0 : index
  nvgpu.mbarrier.init %met[%c0], %c96, predicate = %first : !one
  gpu.barrier
  %v = memref.load %x[%t] : memref<64xf32>
  memref.store %v, %s[%t] : memref<64xf32, #space>
  %low = arith.cmpi ult, %t, %c32 : index
  scf.if %low {
    %early = nvgpu.mbarrier.arrive.nocomplete %met[%c0], %c1 : !one -> !nvgpu.mbarrier.token
  }
  %token = nvgpu.mbarrier.arrive %met[%c0] : !one -> !nvgpu.mbarrier.token
  scf.while : () -> () {
    %over = nvgpu.mbarrier.test.wait %met[%c0], %token : !one, !nvgpu.mbarrier.token
    %again = arith.xori %over, %true : i1
    scf.condition(%again)
  } do {
    scf.yield
  }
  %other = arith.subi %c63, %t : index
  %w = memref.load %s[%other] : memref<64xf32, #space>
  memref.store %w, %y[%t] : memref<64xf32>
  gpu.return
}
