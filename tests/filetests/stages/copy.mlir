// The whole way of the smallest vector kernel: one element a thread, no bounds to check.
// test layout
// test distribute
// test compile emit=llvm
#layout = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>

gpu.func @copy(%x: memref<32xf32>, %y: memref<32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %pad {in_bounds = [true]} : memref<32xf32>, vector<32xf32>
  %al = iree_vector_ext.to_layout %a to layout(#layout) : vector<32xf32>
  vector.transfer_write %al, %y[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  gpu.return
}
// golden layout
//  #layout = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
//  module attributes {lanewise.stage = "layout", lanewise.target = "sm_90"} {
//    gpu.module @kernels {
//      gpu.func @copy(%x: memref<32xf32>, %y: memref<32xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
//        %c0 = arith.constant 0 : index
//        %pad = arith.constant 0.0 : f32
//        %a = vector.transfer_read %x[%c0], %pad {in_bounds = [true], lanewise.layout = #layout} : memref<32xf32>, vector<32xf32>
//        vector.transfer_write %a, %y[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
//        gpu.return
//      }
//    }
//  }
// end
// golden thread
//  module attributes {lanewise.stage = "thread", lanewise.target = "sm_90"} {
//    gpu.module @kernels {
//      gpu.func @copy(%x: memref<32xf32>, %y: memref<32xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.subgroup_size = 32 : i64} {
//        %c0 = arith.constant 0 : index
//        %pad = arith.constant 0.0 : f32
//        %0 = arith.constant 1 : index
//        %1 = arith.constant true
//        %2 = gpu.thread_id x
//        %3 = memref.load %x[%2] : memref<32xf32>
//        memref.store %3, %y[%2] : memref<32xf32>
//        gpu.return
//      }
//    }
//  }
// end
// golden llvm
//  target triple = "nvptx64-nvidia-cuda"
//  define ptx_kernel void @copy(ptr addrspace(1) noalias readonly align 4 %a0, ptr addrspace(1) noalias align 4 %a1) #0 {
//  entry:
//    %v0 = call range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
//    %v1 = zext nneg i32 %v0 to i64
//    %v2 = getelementptr [4 x i8], ptr addrspace(1) %a0, i64 %v1
//    %v3 = load float, ptr addrspace(1) %v2, align 4, !invariant.load !{}
//    %v4 = getelementptr [4 x i8], ptr addrspace(1) %a1, i64 %v1
//    store float %v3, ptr addrspace(1) %v4, align 4
//    ret void
//  }
//  declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
//  attributes #0 = { nounwind "nvvm.reqntid"="32,1,1" }
//  attributes #1 = { nounwind }
//  attributes #2 = { convergent nounwind }
// end
