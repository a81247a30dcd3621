// A region that compares and swaps, and does nothing else, is the machine's instruction: no loop around it.
// test roundtrip
// test run target=sm_80
// test run target=sm_90
// test run target=gfx942
// test run target=gfx1100
// A swap for each of 64 elements of each buffer; a loop would begin with a load.
// expect sm_90: atomics 128, loads 0
// expect gfx942: atomics 128, loads 0
// lanewise.args x = index(64), y = index(64), z = empty(64)
gpu.func @swapped(%x: memref<64xi32>, %y: memref<64xf32>, %z: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %i = arith.index_cast %id : index to i32
  %c1 = arith.constant 1 : i32
  %even = arith.andi %i, %c1 : i32
  %wanted = arith.addi %i, %even : i32
  %new = arith.constant 77 : i32
  %old = memref.generic_atomic_rmw %x[%id] : memref<64xi32> {
  ^bb0(%there: i32):
    %same = arith.cmpi eq, %there, %wanted : i32
    %chosen = arith.select %same, %new, %there : i32
    memref.atomic_yield %chosen : i32
  }
  %expected = arith.sitofp %wanted : i32 to f32
  %half = arith.constant 0.5 : f32
  %before = memref.generic_atomic_rmw %y[%id] : memref<64xf32> {
  ^bb0(%there: f32):
    %bits = arith.bitcast %there : f32 to i32
    %others = arith.bitcast %expected : f32 to i32
    %same = arith.cmpi eq, %others, %bits : i32
    %chosen = arith.select %same, %half, %there : f32
    memref.atomic_yield %chosen : f32
  }
  %a = arith.sitofp %old : i32 to f32
  %sum = arith.addf %a, %before : f32
  memref.store %sum, %z[%id] : memref<64xf32>
  gpu.return
}
