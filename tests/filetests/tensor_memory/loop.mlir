// Four tiles along K take turns in the same shared memory: each is overwritten once the commit of its product was waited for.
// test run target=sm_100a
// lanewise.args a = integers(-4, 4, 128, 256), b = integers(-4, 4, 16, 256), out = zeros(128, 16) ; grid = 1
module attributes {lanewise.stage = "thread"} {
gpu.func @k(%a: memref<128x256xf16>, %b: memref<16x256xf16>, %out: memref<128x16xf32>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %t = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %all = arith.constant 128 : index
  %ticks = arith.constant 1000 : index
  %no = arith.constant false
  %slot = memref.alloc() : memref<1xi32, #gpu.address_space<workgroup>>
  %bar = nvgpu.mbarrier.create -> !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
  %first = arith.cmpi eq, %t, %c0 : index
  %low = arith.cmpi ult, %t, %c32 : index
  %w = arith.divui %t, %c32 : index
  %lane = arith.muli %w, %c32 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %sa = memref.alloc() {iree_codegen.swizzle = #iree_codegen.xor_shuffle<64, 8>} : memref<128x64xf16, #gpu.address_space<workgroup>>
  %sb = memref.alloc() {iree_codegen.swizzle = #iree_codegen.xor_shuffle<64, 8>} : memref<16x64xf16, #gpu.address_space<workgroup>>
  %na = arith.constant 8192 : index
  %nb = arith.constant 1024 : index
  scf.if %low {
    lanewise.tcgen05.alloc %slot[%c0] {columns = 32 : i32} : memref<1xi32, #gpu.address_space<workgroup>>
    lanewise.tcgen05.relinquish_alloc_permit
  }
  scf.if %first {
    nvgpu.mbarrier.init %bar[%c0], %c1 : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
  }
  nvvm.fence.proxy <async.shared>, space = <cta>
  gpu.barrier
  %d = lanewise.tcgen05.address %slot[%c0] : memref<1xi32, #gpu.address_space<workgroup>> -> !lanewise.tensor_memory<128x16xf32>
  scf.for %k = %c0 to %c256 step %c64 {
    scf.for %ia = %t to %na step %all {
      %ra = arith.divui %ia, %c64 : index
      %qa = arith.remui %ia, %c64 : index
      %ga = arith.addi %k, %qa : index
      %va = memref.load %a[%ra, %ga] : memref<128x256xf16>
      memref.store %va, %sa[%ra, %qa] : memref<128x64xf16, #gpu.address_space<workgroup>>
    }
    scf.for %ib = %t to %nb step %all {
      %rb = arith.divui %ib, %c64 : index
      %qb = arith.remui %ib, %c64 : index
      %gb = arith.addi %k, %qb : index
      %vb = memref.load %b[%rb, %gb] : memref<16x256xf16>
      memref.store %vb, %sb[%rb, %qb] : memref<16x64xf16, #gpu.address_space<workgroup>>
    }
    nvvm.fence.proxy <async.shared>, space = <cta>
    gpu.barrier
    %more = arith.cmpi ne, %k, %c0 : index
    %turn = arith.divui %k, %c64 : index
    %rest = arith.remui %turn, %c2 : index
    %odd = arith.cmpi eq, %rest, %c1 : index
    scf.if %first {
      lanewise.tcgen05.mma %d, %sa[%c0, %c0], %sb[%c0, %c0], %more {depth = 64 : i64} : !lanewise.tensor_memory<128x16xf32>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<16x64xf16, #gpu.address_space<workgroup>>
      lanewise.tcgen05.commit %bar[%c0] : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    }
    nvgpu.mbarrier.try_wait.parity %bar[%c0], %odd, %ticks : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
  }
  lanewise.tcgen05.fence {kind = "after_thread_sync"}
  %at0 = arith.constant 0 : index
  %p0 = lanewise.tcgen05.part %d[%lane, %at0] : !lanewise.tensor_memory<128x16xf32> to !lanewise.tensor_memory<32x16xf32>
  %u0 = lanewise.tcgen05.ld %p0 {shape = "32x32b"} : !lanewise.tensor_memory<32x16xf32> -> vector<16xf32>
  %x0 = lanewise.tcgen05.wait_ld %u0 : vector<16xf32>
  vector.store %x0, %out[%t, %at0] : memref<128x16xf32>, vector<16xf32>
  lanewise.tcgen05.fence {kind = "before_thread_sync"}
  gpu.barrier
  scf.if %low {
    lanewise.tcgen05.dealloc %d {columns = 32 : i32} : !lanewise.tensor_memory<128x16xf32>
  }
  gpu.return
}
}
