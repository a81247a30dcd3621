// The index dialect, of -7 and 2, and of the same bits without a sign: 2^64 - 7. What is printed has no sign: -5 is 2^64 - 5.
// test roundtrip
// test run
// test run target=gfx942
// test run target=sm_80
// test run target=gfx1100
// prints 18446744073709551611
// prints 18446744073709551607
// prints 18446744073709551602
// prints 18446744073709551613
// prints 9223372036854775804
// prints 18446744073709551613
// prints 9223372036854775805
// prints 18446744073709551612
// prints 18446744073709551615
// prints 1
// prints 2
// prints 18446744073709551609
// prints 18446744073709551609
// prints 2
// prints 18446744073709551588
// prints 18446744073709551614
// prints 4611686018427387902
// prints 0
// prints 18446744073709551611
// prints 18446744073709551611
// prints 1
// prints 0
// prints 18446744073709551609
// prints 249
// prints 64
// prints 42
// prints 1
// lanewise.args -7, 2; grid = 1
// expect sm_90: shared bytes 0, barriers 0
gpu.func @numbers(%a: index, %b: index) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %0 = index.add %a, %b
  vector.print %0 : index
  %1 = index.sub %a, %b
  vector.print %1 : index
  %2 = index.mul %a, %b
  vector.print %2 : index
  %3 = index.divs %a, %b
  vector.print %3 : index
  %4 = index.divu %a, %b
  vector.print %4 : index
  %5 = index.ceildivs %a, %b
  vector.print %5 : index
  %6 = index.ceildivu %a, %b
  vector.print %6 : index
  %7 = index.floordivs %a, %b
  vector.print %7 : index
  %8 = index.rems %a, %b
  vector.print %8 : index
  %9 = index.remu %a, %b
  vector.print %9 : index
  %10 = index.maxs %a, %b
  vector.print %10 : index
  %11 = index.maxu %a, %b
  vector.print %11 : index
  %12 = index.mins %a, %b
  vector.print %12 : index
  %13 = index.minu %a, %b
  vector.print %13 : index
  %14 = index.shl %a, %b
  vector.print %14 : index
  %15 = index.shrs %a, %b
  vector.print %15 : index
  %16 = index.shru %a, %b
  vector.print %16 : index
  %17 = index.and %a, %b
  vector.print %17 : index
  %18 = index.or %a, %b
  vector.print %18 : index
  %19 = index.xor %a, %b
  vector.print %19 : index
  %20 = index.cmp slt(%a, %b)
  vector.print %20 : i1
  %21 = index.cmp ult(%a, %b)
  vector.print %21 : i1
  %22 = index.casts %a : index to i8
  %23 = index.casts %22 : i8 to index
  vector.print %23 : index
  %24 = index.castu %22 : i8 to index
  vector.print %24 : index
  %25 = index.sizeof
  vector.print %25 : index
  %26 = index.constant 42
  vector.print %26 : index
  %27 = index.bool.constant true
  vector.print %27 : i1
  gpu.return
}
// -----
// Constants of either name say where a tensor is taken apart, which nothing in memory does.
// prints 3
// lanewise.args 3; grid = 1
// expect sm_90: shared bytes 0, barriers 0
gpu.func @constants(%s: i32) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %two = index.constant 2
  %t = tensor.splat %s : tensor<4xi32>
  %e = tensor.extract %t[%two] : tensor<4xi32>
  vector.print %e : i32
  gpu.return
}
