// test roundtrip
// test run
// test run target=gfx942
// test run target=gfx950
// test run target=sm_80
// test run target=gfx1100
// Each subgroup's lanes copy four rows of the tensor that all put together; it is read behind the loop.
// lanewise.args x = normal(8, 64), y = empty(8, 64)
gpu.func @put_together(%x: memref<8x64xf32>, %y: memref<8x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %t = bufferization.to_tensor %x : memref<8x64xf32> to tensor<8x64xf32>
  %r = iree_gpu.buffer_resource_cast %t : tensor<8x64xf32>
  %e = tensor.empty() : tensor<8x64xf32>
  %all = scf.forall (%w) in (2) shared_outs(%o = %e) -> (tensor<8x64xf32>) {
    %first = arith.muli %w, %c4 : index
    %from = tensor.extract_slice %r[%first, 0] [4, 64] [1, 1] : tensor<8x64xf32> to tensor<4x64xf32>
    %to = tensor.extract_slice %o[%first, 0] [4, 64] [1, 1] : tensor<8x64xf32> to tensor<4x64xf32>
    %tile = scf.forall (%lane) in (32) shared_outs(%init = %to) -> (tensor<4x64xf32>) {
      scf.forall.in_parallel {
        iree_gpu.coalesced_gather_dma %from into %init lane(%lane) : tensor<4x64xf32>, tensor<4x64xf32>, index
      }
    } {mapping = [#iree_gpu.lane_id<0>]}
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %tile into %o[%first, 0] [4, 64] [1, 1] : tensor<4x64xf32> into tensor<8x64xf32>
    }
  } {mapping = [#gpu.warp<linear_dim_0>]}
  %id = gpu.thread_id x
  %c63 = arith.constant 63 : index
  %other = arith.subi %c63, %id : index
  %pad = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %v = tensor.extract %all[%i, %other] : tensor<8x64xf32>
    memref.store %v, %y[%i, %id] : memref<8x64xf32>
  }
  gpu.return
}
// -----
// lanewise.args x = normal(20, 64), y = empty(4, 64), i = 3
gpu.func @of_a_workgroup(%x: memref<20x64xf16>, %y: memref<4x64xf16>, %i: index) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  %t = bufferization.to_tensor %x : memref<20x64xf16> to tensor<20x64xf16>
  %e = tensor.empty() : tensor<4x64xf16>
  %tile = iree_gpu.async_dma %t[%i, %c0] to %e[%c0, %c0], vector<4x64xf16> : tensor<20x64xf16>, tensor<4x64xf16> -> tensor<4x64xf16>
  %there = iree_gpu.value_barrier %tile : tensor<4x64xf16>
  %v = vector.transfer_read %there[%c0, %c0], %pad {in_bounds = [true, true]} : tensor<4x64xf16>, vector<4x64xf16>
  %w = arith.addf %v, %v : vector<4x64xf16>
  vector.transfer_write %w, %y[%c0, %c0] {in_bounds = [true, true]} : vector<4x64xf16>, memref<4x64xf16>
  gpu.return
}
// -----
// lanewise.args x = normal(20, 64), y = empty(4, 64), i = 3
gpu.func @of_threads(%x: memref<20x64xf16>, %y: memref<4x64xf16>, %i: index) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c63 = arith.constant 63 : index
  %t = bufferization.to_tensor %x : memref<20x64xf16> to tensor<20x64xf16>
  %e = tensor.empty() : tensor<4x64xf16>
  %tile = iree_gpu.async_dma %t[%i, %c0] to %e[%c0, %c0], vector<4x64xf16> : tensor<20x64xf16>, tensor<4x64xf16> -> tensor<4x64xf16>
  %there = iree_gpu.value_barrier %tile : tensor<4x64xf16>
  %id = gpu.thread_id x
  %other = arith.subi %c63, %id : index
  scf.for %r = %c0 to %c4 step %c1 {
    %v = tensor.extract %there[%r, %other] : tensor<4x64xf16>
    memref.store %v, %y[%r, %id] : memref<4x64xf16>
  }
  gpu.return
}
// -----
// A tensor that is allocated in shared memory, which the threads' copy fills; and one that begins as another.
// lanewise.args x = normal(4, 64), y = empty(4, 64), z = empty(4, 64)
gpu.func @allocated(%x: memref<4x64xf32>, %y: memref<4x64xf32>, %z: memref<4x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %t = bufferization.to_tensor %x : memref<4x64xf32> to tensor<4x64xf32>
  %e = bufferization.alloc_tensor() <{memory_space = #gpu.address_space<workgroup>}> : tensor<4x64xf32>
  %same = bufferization.alloc_tensor() copy(%t) : tensor<4x64xf32>
  %tile = iree_gpu.async_dma %t[%c0, %c0] to %e[%c0, %c0], vector<4x64xf32> : tensor<4x64xf32>, tensor<4x64xf32> -> tensor<4x64xf32>
  %there = iree_gpu.value_barrier %tile : tensor<4x64xf32>
  %v = vector.transfer_read %there[%c0, %c0], %pad {in_bounds = [true, true]} : tensor<4x64xf32>, vector<4x64xf32>
  %w = vector.transfer_read %same[%c0, %c0], %pad {in_bounds = [true, true]} : tensor<4x64xf32>, vector<4x64xf32>
  vector.transfer_write %v, %y[%c0, %c0] {in_bounds = [true, true]} : vector<4x64xf32>, memref<4x64xf32>
  vector.transfer_write %w, %z[%c0, %c0] {in_bounds = [true, true]} : vector<4x64xf32>, memref<4x64xf32>
  gpu.return
}
// -----
// The buffer that the copy fills has rows that change places: lanes that read along columns find their own banks.
// lanewise.args x = normal(32, 32), y = empty(32, 32)
gpu.func @swizzled(%x: memref<32x32xf32>, %y: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %t = bufferization.to_tensor %x : memref<32x32xf32> to tensor<32x32xf32>
  %e = bufferization.alloc_tensor() <{memory_space = #gpu.address_space<workgroup>}> : tensor<32x32xf32>
  %order = iree_codegen.swizzle_hint %e[#iree_codegen.xor_shuffle<32, 4>] : tensor<32x32xf32>
  %tile = iree_gpu.async_dma %t[%c0, %c0] to %order[%c0, %c0], vector<32x32xf32> : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  %there = iree_gpu.value_barrier %tile : tensor<32x32xf32>
  %v = vector.transfer_read %there[%c0, %c0], %pad {in_bounds = [true, true]} : tensor<32x32xf32>, vector<32x32xf32>
  %w = vector.transpose %v, [1, 0] : vector<32x32xf32> to vector<32x32xf32>
  vector.transfer_write %w, %y[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
