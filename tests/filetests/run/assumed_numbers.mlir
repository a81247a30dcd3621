// Numbers of which the program states bounds and a divisor, and what IREE calls a grid.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// lanewise.args N = 128: x = index(N), y = empty(N), n = N; grid = N // 64
gpu.module @m {
  gpu.func @stated(%x: memref<128xf32>, %y: memref<128xf32>, %n: i64) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %p = arith.constant 0.0 : f32
    %c64 = arith.constant 64 : index
    %i = hal.interface.workgroup.id[0] : index
    %count = hal.interface.workgroup.count[0] : index
    %threads = hal.interface.workgroup.size[0] : index
    %k, %same = util.assume.int %n<umin = 64, umax = 128, udiv = 64>, %i<umax = 1> : i64, index
    %m = arith.index_cast %k : i64 to index
    %start = arith.muli %same, %c64 : index
    %room = arith.cmpi slt, %start, %m : index
    scf.if %room {
      %v = vector.transfer_read %x[%start], %p {in_bounds = [true]} : memref<128xf32>, vector<64xf32>
      %t = arith.index_cast %threads : index to i32
      %c = arith.index_cast %count : index to i32
      %s = arith.addi %t, %c : i32
      %f = arith.sitofp %s : i32 to f32
      %w = vector.broadcast %f : f32 to vector<64xf32>
      %sum = arith.addf %v, %w : vector<64xf32>
      vector.transfer_write %sum, %y[%start] {in_bounds = [true]} : vector<64xf32>, memref<128xf32>
    }
    gpu.return
  }
}
