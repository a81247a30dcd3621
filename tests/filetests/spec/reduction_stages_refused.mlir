// The reduction document's listing asks for 64 lanes: where a chip has 32 it is refused, and so is a cluster of more lanes than
// a subgroup has. `reduction_stages_of_32.mlir` has what runs there.
// test compile target=sm_90

// expected-error@+1 {{asks for subgroups of 64 threads, sm_90 has subgroups of 32}}
gpu.func @as_written(%x: memref<8x64xf32>, %y: memref<8xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread", lanewise.subgroup_size = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %0 = arith.constant 0.0 : f32
  %cst = arith.constant 0.0 : f32
  %cst_0 = arith.constant dense<0.0> : vector<1x1x1xf32>
  %1 = gpu.thread_id x
  %6:2 = affine.delinearize_index %1 into (1) : index, index
  %7:2 = affine.delinearize_index %1 into (64) : index, index
  scf.for %arg0 = %c0 to %c8 step %c1 {
    %subview = memref.subview %y[%arg0] [1] [1] : memref<8xf32> to memref<f32, strided<[], offset: ?>>
    %8 = affine.linearize_index disjoint [%6#1, %c0, %c0, %7#1, %c0] by (1, 1, 1, 64, 1) : index
    %9 = vector.transfer_read %x[%arg0, %8], %0 {in_bounds = [true]} : memref<8x64xf32>, vector<1xf32>
    %10 = vector.insert_strided_slice %9, %cst_0 {offsets = [0, 0, 0], strides = [1]} : vector<1xf32> into vector<1x1x1xf32>
    %12 = vector.multi_reduction <add>, %10, %cst [0, 1, 2] : vector<1x1x1xf32> to f32
    %13 = gpu.subgroup_reduce add %12 cluster(size = 64) : (f32) -> f32
    %14 = arith.cmpi eq, %1, %c0 : index
    scf.if %14 {
      %15 = vector.broadcast %13 : f32 to vector<f32>
      vector.transfer_write %15, %subview[] : vector<f32>, memref<f32, strided<[], offset: ?>>
    }
  }
  gpu.return
}
// -----
gpu.func @cluster(%x: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread", lanewise.subgroup_size = 32 : i64} {
  %id = gpu.thread_id x
  %own = memref.load %x[%id] : memref<64xf32>
  %sum = gpu.subgroup_reduce add %own cluster(size = 64) : (f32) -> f32 // expected-error {{joins lanes of clusters that span 64 lanes, found subgroups of 32}}
  memref.store %sum, %x[%id] : memref<64xf32>
  gpu.return
}
// -----
gpu.func @partial(%x: memref<50xf32>) kernel attributes {gpu.known_block_size = array<i32: 50, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %own = memref.load %x[%id] : memref<50xf32>
  %sum = gpu.subgroup_reduce add %own : (f32) -> f32 // expected-error {{joins lanes of whole subgroups of 32, found a workgroup of 50 threads}}
  memref.store %sum, %x[%id] : memref<50xf32>
  gpu.return
}
