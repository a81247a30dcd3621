// A block that is never run ends in nothing.
// test roundtrip
// test run
// test run target=gfx942
// test run target=sm_80
// test run target=gfx1100
// prints 4
// lanewise.args 4; grid = 1
gpu.func @either(%n: index) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c9 = arith.constant 9 : index
  %small = arith.cmpi ult, %n, %c9 : index
  cf.cond_br %small, ^right, ^never
^right:
  vector.print %n : index
  gpu.return
^never:
  ub.unreachable
}
