module attributes {lanewise.stage = "thread"} {
gpu.func @k(%a: memref<128x64xf16>, %b: memref<16x64xf16>, %out: memref<128x16xf32>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
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
  %sa = memref.alloc() {iree_codegen.swizzle = #iree_codegen.xor_shuffle<64, 8>} : memref<128x64xf16, #gpu.address_space<workgroup>>
  %wa = arith.constant 64 : index
  %na = arith.constant 8192 : index
  scf.for %ia = %t to %na step %all {
    %ra = arith.divui %ia, %wa : index
    %ca = arith.remui %ia, %wa : index
    %va = memref.load %a[%ra, %ca] : memref<128x64xf16>
    memref.store %va, %sa[%ra, %ca] : memref<128x64xf16, #gpu.address_space<workgroup>>
  }
  %sb = memref.alloc() {iree_codegen.swizzle = #iree_codegen.xor_shuffle<64, 8>} : memref<16x64xf16, #gpu.address_space<workgroup>>
  %wb = arith.constant 64 : index
  %nb = arith.constant 1024 : index
  scf.for %ib = %t to %nb step %all {
    %rb = arith.divui %ib, %wb : index
    %cb = arith.remui %ib, %wb : index
    %vb = memref.load %b[%rb, %cb] : memref<16x64xf16>
    memref.store %vb, %sb[%rb, %cb] : memref<16x64xf16, #gpu.address_space<workgroup>>
  }
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
  %yes = arith.constant true
  scf.if %first {
    lanewise.tcgen05.mma %d, %sa[%c0, %c0], %sb[%c0, %c0], %no {depth = 64 : i64} : !lanewise.tensor_memory<128x16xf32>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<16x64xf16, #gpu.address_space<workgroup>>
    lanewise.tcgen05.mma %d, %sa[%c0, %c0], %sb[%c0, %c0], %yes {depth = 64 : i64} : !lanewise.tensor_memory<128x16xf32>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<16x64xf16, #gpu.address_space<workgroup>>
    lanewise.tcgen05.commit %bar[%c0] : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
  }
  nvgpu.mbarrier.try_wait.parity %bar[%c0], %no, %ticks : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
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
