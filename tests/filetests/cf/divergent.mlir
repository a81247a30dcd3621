// Each thread goes its own way through the blocks.
// test run
// test run target=gfx942
// test run target=gfx1100
// lanewise.args y = empty(64); grid = 1
gpu.func @f(%Y: memref<64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %t = gpu.thread_id x
  %n = arith.index_cast %t : index to i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %ten = arith.constant 10 : i32
  cf.br ^head(%n, %zero : i32, i32)
^head(%v: i32, %i: i32):
  %hit = arith.cmpi eq, %v, %seven : i32
  cf.cond_br %hit, ^found(%i : i32), ^step
^step:
  %next = arith.shrui %v, %one : i32
  %j = arith.addi %i, %one : i32
  %more = arith.cmpi ult, %j, %ten : i32
  cf.cond_br %more, ^head(%next, %j : i32, i32), ^none
^found(%k: i32):
  memref.store %k, %Y[%t] : memref<64xi32>
  gpu.return
^none:
  memref.store %next, %Y[%t] : memref<64xi32>
  gpu.return
}
