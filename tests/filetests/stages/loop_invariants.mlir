// What moves in front of a loop that waits for copies, and what stays.
// test roundtrip
// test distribute target=sm_80
// test run target=sm_80
// Ids, sums, views and comparisons move; a constant first, since what is made of it could not without it; out of a branch, too. The
// sums of both branches are one there. What is computed from %i stays.
// lanewise.args y = empty(4, 32); grid = 1
module attributes {lanewise.stage = "thread"} {
gpu.func @moved(%y: memref<4x32xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %none = nvgpu.device_async_create_group
  scf.for %i = %c0 to %c4 step %c1 {
    nvgpu.device_async_wait %none
    %rows = memref.subview %y[%c0, 0] [4, 32] [1, 1] : memref<4x32xi32> to memref<4x32xi32, strided<[32, 1], offset: ?>>
    %t = gpu.thread_id x
    %c2 = arith.constant 2 : index
    %half = arith.divui %t, %c2 : index
    %ti = arith.addi %half, %i : index
    %low = arith.cmpi ult, %half, %c4 : index
    scf.if %low {
      %a = arith.addi %half, %c1 : index
      %v = arith.muli %a, %ti : index
      %w = arith.index_cast %v : index to i32
      memref.store %w, %rows[%i, %t] : memref<4x32xi32, strided<[32, 1], offset: ?>>
    } else {
      %b = arith.addi %half, %c1 : index
      %s = arith.index_cast %b : index to i32
      memref.store %s, %rows[%i, %t] : memref<4x32xi32, strided<[32, 1], offset: ?>>
    }
  }
  gpu.return
}
}
// golden thread
//  module attributes {lanewise.stage = "thread", lanewise.target = "sm_80"} {
//    gpu.module @kernels {
//      gpu.func @moved(%y: memref<4x32xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
//        %c0 = arith.constant 0 : index
//        %c1 = arith.constant 1 : index
//        %c4 = arith.constant 4 : index
//        %none = nvgpu.device_async_create_group
//        %rows = memref.subview %y[%c0, 0][4, 32][1, 1] : memref<4x32xi32> to memref<4x32xi32, strided<[32, 1], offset: ?>>
//        %t = gpu.thread_id x
//        %c2 = arith.constant 2 : index
//        %half = arith.divui %t, %c2 : index
//        %low = arith.cmpi ult, %half, %c4 : index
//        %a = arith.addi %half, %c1 : index
//        %s = arith.index_cast %a : index to i32
//        scf.for %i = %c0 to %c4 step %c1 {
//          nvgpu.device_async_wait %none
//          %ti = arith.addi %half, %i : index
//          scf.if %low {
//            %v = arith.muli %a, %ti : index
//            %w = arith.index_cast %v : index to i32
//            memref.store %w, %rows[%i, %t] : memref<4x32xi32, strided<[32, 1], offset: ?>>
//          } else {
//            memref.store %s, %rows[%i, %t] : memref<4x32xi32, strided<[32, 1], offset: ?>>
//          }
//        }
//        gpu.return
//      }
//    }
//  }
// end
// -----
// A load of what the loop writes stays, and what is made of it; a shuffle, for which threads meet; a sum of floats, of which a tile has
// many. The loop's own comparisons do not count.
// lanewise.args y = index(32), f = index(32); grid = 1
module attributes {lanewise.stage = "thread"} {
gpu.func @stays(%y: memref<32xi32>, %f: memref<32xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  %all = arith.constant 32 : i32
  %half = arith.constant 0.5 : f32
  %t = gpu.thread_id x
  %x = memref.load %f[%t] : memref<32xf32>
  %seven = arith.constant 7 : i32
  %none = nvgpu.device_async_create_group
  scf.for %i = %c0 to %c4 step %c1 {
    nvgpu.device_async_wait %none
    %old = memref.load %y[%t] : memref<32xi32>
    %next = arith.addi %old, %one : i32
    %other, %valid = gpu.shuffle xor %seven, %one, %all : i32
    %sum = arith.addi %next, %other : i32
    memref.store %sum, %y[%t] : memref<32xi32>
    %more = arith.addf %x, %half : f32
    memref.store %more, %f[%t] : memref<32xf32>
  }
  gpu.return
}
}
// golden thread
//  module attributes {lanewise.stage = "thread", lanewise.target = "sm_80"} {
//    gpu.module @kernels {
//      gpu.func @stays(%y: memref<32xi32>, %f: memref<32xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
//        %c0 = arith.constant 0 : index
//        %c1 = arith.constant 1 : index
//        %c4 = arith.constant 4 : index
//        %one = arith.constant 1 : i32
//        %all = arith.constant 32 : i32
//        %half = arith.constant 0.5 : f32
//        %t = gpu.thread_id x
//        %x = memref.load %f[%t] : memref<32xf32>
//        %seven = arith.constant 7 : i32
//        %none = nvgpu.device_async_create_group
//        scf.for %i = %c0 to %c4 step %c1 {
//          nvgpu.device_async_wait %none
//          %old = memref.load %y[%t] : memref<32xi32>
//          %next = arith.addi %old, %one : i32
//          %other:2 = gpu.shuffle xor %seven, %one, %all : i32
//          %sum = arith.addi %next, %other#0 : i32
//          memref.store %sum, %y[%t] : memref<32xi32>
//          %more = arith.addf %x, %half : f32
//          memref.store %more, %f[%t] : memref<32xf32>
//        }
//        gpu.return
//      }
//    }
//  }
// end
// -----
// The loop does not run where %n is 0, by which nothing can be divided: these quotients stay, and so does one by -1, which a number has
// none by. Quotients by other constants move, in the regions of a while as well; so do those of f32, which are long.
// lanewise.args y = index(32), f = index(32), n = 0; grid = 1
module attributes {lanewise.stage = "thread"} {
gpu.func @quotients(%y: memref<32xindex>, %f: memref<32xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %minus = arith.constant -1 : index
  %ten = arith.constant 10.0 : f32
  %t = gpu.thread_id x
  %x = memref.load %f[%t] : memref<32xf32>
  %none = nvgpu.device_async_create_group
  %last = scf.while (%i = %c0) : (index) -> index {
    nvgpu.device_async_wait %none
    %by4 = arith.divsi %t, %c4 : index
    %byn = affine.apply affine_map<(d0)[s0] -> (d0 floordiv s0)>(%t)[%by4]
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %a = arith.divui %t, %n : index
    %b = arith.remsi %t, %minus : index
    %c = affine.apply affine_map<(d0) -> (d0 floordiv 3)>(%t)
    %d = arith.addi %a, %b : index
    %e = arith.addi %d, %c : index
    memref.store %e, %y[%t] : memref<32xindex>
    %g = arith.divf %x, %ten : f32
    memref.store %g, %f[%t] : memref<32xf32>
    %j = arith.addi %i, %c1 : index
    scf.yield %j : index
  }
  gpu.return
}
}
// golden thread
//  #map = affine_map<(d0) -> (d0 floordiv 3)>
//  #map1 = affine_map<(d0)[s0] -> (d0 floordiv s0)>
//  module attributes {lanewise.stage = "thread", lanewise.target = "sm_80"} {
//    gpu.module @kernels {
//      gpu.func @quotients(%y: memref<32xindex>, %f: memref<32xf32>, %n: index) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
//        %c0 = arith.constant 0 : index
//        %c1 = arith.constant 1 : index
//        %c4 = arith.constant 4 : index
//        %minus = arith.constant -1 : index
//        %ten = arith.constant 10.0 : f32
//        %t = gpu.thread_id x
//        %x = memref.load %f[%t] : memref<32xf32>
//        %none = nvgpu.device_async_create_group
//        %by4 = arith.divsi %t, %c4 : index
//        %c = affine.apply #map(%t)
//        %g = arith.divf %x, %ten : f32
//        %last = scf.while (%i = %c0) : (index) -> index {
//          nvgpu.device_async_wait %none
//          %byn = affine.apply #map1(%t)[%by4]
//          %more = arith.cmpi ult, %i, %n : index
//          scf.condition(%more) %i : index
//        } do {
//        ^bb0(%i_0: index):
//          %a = arith.divui %t, %n : index
//          %b = arith.remsi %t, %minus : index
//          %d = arith.addi %a, %b : index
//          %e = arith.addi %d, %c : index
//          memref.store %e, %y[%t] : memref<32xindex>
//          memref.store %g, %f[%t] : memref<32xf32>
//          %j = arith.addi %i_0, %c1 : index
//          scf.yield %j : index
//        }
//        gpu.return
//      }
//    }
//  }
// end
