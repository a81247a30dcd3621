// In a program of threads each goes round, and takes a case, as it wants.
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// lanewise.args y = empty(64), z = empty(64); grid = 1
gpu.func @f(%Y: memref<64xi32>, %Z: memref<64xi32>)
    kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %t = gpu.thread_id x
  %n = arith.index_cast %t : index to i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %zero = arith.constant 0 : i32
  %first = arith.addi %n, %one : i32
  // how many halvings to 1
  %steps = scf.while (%v = %first, %s = %zero) : (i32, i32) -> i32 {
    %go = arith.cmpi sgt, %v, %one : i32
    scf.condition(%go) %s : i32
  } do {
  ^bb0(%s: i32):
    %k = arith.addi %s, %one : i32
    %v = arith.shrui %first, %k : i32
    scf.yield %v, %k : i32, i32
  }
  memref.store %steps, %Y[%t] : memref<64xi32>
  %three_index = arith.constant 3 : index
  %kind = arith.remui %t, %three_index : index
  %r = scf.index_switch %kind -> i32
  case 0 {
    scf.yield %steps : i32
  }
  case 1 {
    %a = arith.muli %n, %three : i32
    scf.yield %a : i32
  }
  default {
    %a = arith.addi %n, %two : i32
    scf.yield %a : i32
  }
  memref.store %r, %Z[%t] : memref<64xi32>
  gpu.return
}
