// The reduction document's listings on subgroups of 32 lanes: what is adapted is named above each.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx1100

// After LLVMGPUVectorDistributePass: 64 lanes with an element each are 32 lanes with two, so thread_tile = [32] and
// element_tile = [2], cluster(size = 32). Five butterfly steps, behind the sum of a thread's own two.
// expect sm_90: thread gpu.shuffle 5, shuffles 5, barriers 0, shared bytes 0
// expect gfx1100: thread gpu.shuffle 5, barriers 0, shared bytes 0
// lanewise.args x = index(8, 64), y = empty(8); grid = 1
gpu.func @stage_2(%x: memref<8x64xf32>, %y: memref<8xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread", lanewise.subgroup_size = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %0 = arith.constant 0.0 : f32
  %cst = arith.constant 0.0 : f32
  %cst_0 = arith.constant dense<0.0> : vector<1x1x2xf32>
  %1 = gpu.thread_id x
  %6:2 = affine.delinearize_index %1 into (1) : index, index
  %7:2 = affine.delinearize_index %1 into (32) : index, index
  scf.for %arg0 = %c0 to %c8 step %c1 {
    %subview = memref.subview %y[%arg0] [1] [1] : memref<8xf32> to memref<f32, strided<[], offset: ?>>
    %8 = affine.linearize_index disjoint [%6#1, %c0, %c0, %7#1, %c0] by (1, 1, 1, 32, 2) : index
    %9 = vector.transfer_read %x[%arg0, %8], %0 {in_bounds = [true]} : memref<8x64xf32>, vector<2xf32>
    %10 = vector.insert_strided_slice %9, %cst_0 {offsets = [0, 0, 0], strides = [1]} : vector<2xf32> into vector<1x1x2xf32>
    %12 = vector.multi_reduction <add>, %10, %cst [0, 1, 2] : vector<1x1x2xf32> to f32
    %13 = gpu.subgroup_reduce add %12 cluster(size = 32) : (f32) -> f32
    %14 = arith.cmpi eq, %1, %c0 : index
    scf.if %14 {
      %15 = vector.broadcast %13 : f32 to vector<f32>
      vector.transfer_write %15, %subview[] : vector<f32>, memref<f32, strided<[], offset: ?>>
    }
  }
  gpu.return
}
// -----
// The fourth stage: four subgroups are 128 threads.
// expect sm_90: thread gpu.shuffle 5, barriers 1, shared bytes 16
// expect gfx1100: thread gpu.shuffle 5, barriers 1, shared bytes 16
// lanewise.args x = index(128), y = empty(1); grid = 1
gpu.func @stage_4(%x: memref<128xf32>, %y: memref<1xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.scope = "thread", lanewise.subgroup_size = 32 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %thread = gpu.thread_id x
  %subgroup = gpu.subgroup_id : index
  %lane = gpu.lane_id
  %buffer = memref.alloc() : memref<4xf32, #gpu.address_space<workgroup>>
  %own = memref.load %x[%thread] : memref<128xf32>
  %partial = gpu.subgroup_reduce add %own : (f32) -> f32
  %first = arith.cmpi eq, %lane, %c0 : index
  scf.if %first {
    memref.store %partial, %buffer[%subgroup] : memref<4xf32, #gpu.address_space<workgroup>>
  }
  gpu.barrier
  %partials = vector.transfer_read %buffer[%c0], %zero {in_bounds = [true]} : memref<4xf32, #gpu.address_space<workgroup>>, vector<4xf32>
  %sum = vector.multi_reduction <add>, %partials, %zero [0] : vector<4xf32> to f32
  %elected = arith.cmpi eq, %thread, %c0 : index
  scf.if %elected {
    memref.store %sum, %y[%c0] : memref<1xf32>
  }
  gpu.return
}
