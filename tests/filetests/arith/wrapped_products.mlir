// A product of two numbers of 16 bits may be a negative number of 32: what is the less of it and 5 is then no number
// below 5 when its bits are read as unsigned, and widened. 65535 * 65535 is 2^32 - 131071, and that is not below 100.
// test run
// test run target=gfx942
// test run target=sm_80
// test run target=gfx1100
// lanewise.args a = full(4, value=65535), b = full(4, value=65535), o = empty(4); grid = 1
gpu.func @wrapped(%a: memref<4xi32>, %b: memref<4xi32>, %o: memref<4xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %mask = arith.constant 65535 : i32
  %five = arith.constant 5 : i32
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %hundred = arith.constant 100 : i64
  %x = memref.load %a[%c0] : memref<4xi32>
  %y = memref.load %b[%c0] : memref<4xi32>
  %xm = arith.andi %x, %mask : i32
  %ym = arith.andi %y, %mask : i32
  %p = arith.muli %xm, %ym : i32
  %least = arith.minsi %p, %five : i32
  %wide = arith.extui %least : i32 to i64
  %c = arith.cmpi slt, %wide, %hundred : i64
  %r = arith.select %c, %one, %zero : i32
  memref.store %r, %o[%c0] : memref<4xi32>
  gpu.return
}
