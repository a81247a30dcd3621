// An unsigned loop counts with all bits of its type, in the custom and in the generic form.
// test roundtrip
// test run
// test run target=gfx942
// lanewise.args b = full(1, value=-1073741824), o = empty(8); grid = 1
gpu.func @f(%B: memref<1xi32>, %O: memref<8xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant 0 : i32
  %m = arith.constant -1 : i32
  %low = arith.constant 5 : i32
  %step = arith.constant 1073741824 : i32
  %one = arith.constant 1 : i32
  // from 0 to 0xFFFFFFFF by 2^30: four iterations
  %r = "scf.for"(%n, %m, %step, %n) <{unsignedCmp}> ({
  ^bb0(%i: i32, %acc: i32):
    %s = arith.addi %acc, %one : i32
    "scf.yield"(%s) : (i32) -> ()
  }) : (i32, i32, i32, i32) -> i32
  memref.store %r, %O[%c0] : memref<8xi32>
  // a step beyond the signed numbers: once
  %once = scf.for unsigned %i = %n to %m step %m iter_args(%acc = %n) -> (i32) : i32 {
    %s = arith.addi %acc, %one : i32
    scf.yield %s : i32
  }
  memref.store %once, %O[%c1] : memref<8xi32>
  // downwards: never
  %never = scf.for unsigned %i = %m to %low step %one iter_args(%acc = %n) -> (i32) : i32 {
    scf.yield %i : i32
  }
  memref.store %never, %O[%c2] : memref<8xi32>
  // the last counter itself, 0xC0000000
  %last = scf.for unsigned %i = %n to %m step %step iter_args(%acc = %n) -> (i32) : i32 {
    scf.yield %i : i32
  }
  memref.store %last, %O[%c3] : memref<8xi32>
  // bounds that are known only at run time
  %top = memref.load %B[%c0] : memref<1xi32>
  %few = scf.for unsigned %i = %low to %top step %step iter_args(%acc = %n) -> (i32) : i32 {
    %s = arith.addi %acc, %one : i32
    scf.yield %s : i32
  }
  memref.store %few, %O[%c4] : memref<8xi32>
  scf.for unsigned %i = %c4 to %c4 step %c1 {
    memref.store %one, %O[%i] : memref<8xi32>
  }
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  scf.for unsigned %i = %c5 to %c8 step %c1 {
    memref.store %one, %O[%i] : memref<8xi32>
  }
  gpu.return
}
