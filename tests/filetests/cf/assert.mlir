// An assertion that holds changes nothing, in all threads or in some.
// test roundtrip
// test run
// test run target=gfx942
// test run target=gfx1100
// lanewise.args n = full(1, value=5), y = empty(64); grid = 1
gpu.func @f(%N: memref<1xi32>, %Y: memref<64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : i32
  %c60 = arith.constant 60 : index
  %t = gpu.thread_id x
  %n = memref.load %N[%c0] : memref<1xi32>
  %ok = arith.cmpi slt, %n, %c7 : i32
  cf.assert %ok, "n is below seven"
  %last = arith.cmpi uge, %t, %c60 : index
  scf.if %last {
    %far = arith.cmpi sgt, %t, %c0 : index
    cf.assert %far, "not the first thread"
  }
  memref.store %n, %Y[%t] : memref<64xi32>
  gpu.return
}
