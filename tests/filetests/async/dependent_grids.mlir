// A grid that waits for the one before it, then says that the one after it may begin; alone it means the same without both.
// test roundtrip
// test run target=sm_90
// test run target=sm_90a
// test run target=sm_100
// lanewise.args x = normal(256), y = empty(256) ; grid = 2
gpu.func @double(%x: memref<256xf32>, %y: memref<256xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %two = arith.constant dense<2.0> : vector<128xf32>
  %zero = arith.constant 0.0 : f32
  %size = arith.constant 128 : index
  %block = gpu.block_id x
  %start = arith.muli %block, %size : index
  nvvm.griddepcontrol wait
  %v = vector.transfer_read %x[%start], %zero {in_bounds = [true]} : memref<256xf32>, vector<128xf32>
  nvvm.griddepcontrol launch_dependents
  %w = arith.mulf %v, %two : vector<128xf32>
  vector.transfer_write %w, %y[%start] {in_bounds = [true]} : vector<128xf32>, memref<256xf32>
  gpu.return
}

// -----
// By threads.
// lanewise.args x = normal(128), y = empty(128) ; grid = 1
gpu.func @by_threads(%x: memref<128xf32>, %y: memref<128xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.scope = "thread"} {
  %c64 = arith.constant 64 : index
  %t = gpu.thread_id x
  %first = arith.cmpi ult, %t, %c64 : index
  scf.if %first {
    "nvvm.griddepcontrol"() <{kind = #nvvm.grid_dep_action<launch_dependents>}> : () -> ()
  }
  "nvvm.griddepcontrol"() <{kind = #nvvm.grid_dep_action<wait>}> : () -> ()
  %v = memref.load %x[%t] : memref<128xf32>
  memref.store %v, %y[%t] : memref<128xf32>
  gpu.return
}
