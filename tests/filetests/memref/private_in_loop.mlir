// Private memory that a loop fills in its first iteration stays private: no workgroup memory takes its place.
// test run
// test run target=gfx942
// test run target=gfx1100
// expect gfx942: shared bytes 0
// expect gfx1100: shared bytes 0
// lanewise.args x = index(13), y=zeros(64)
gpu.func @k(%x: memref<13xi32>, %y: memref<64xi32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %t = gpu.thread_id x
  %one = arith.constant 1 : i32
  %b = memref.alloca() : memref<4xi32>
  scf.for %i = %c0 to %c3 step %c1 {
    %f = arith.cmpi eq, %i, %c0 : index
    scf.if %f {
      memref.store %one, %b[%c1] : memref<4xi32>
    }
    %v = memref.load %b[%c1] : memref<4xi32>
    memref.store %v, %y[%t] : memref<64xi32>
  }
  gpu.return
}
