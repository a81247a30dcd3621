// Quotients and remainders of either sign, and floats that are not numbers, as they are defined.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// lanewise.args to = empty(13, 4)
// prints ( ( -3, -3, 3, 3 ), ( -1, 1, -1, 1 ), ( -4, -4, 3, 3 ), ( -3, -3, 4, 4 ), ( 2147483644, 3, 2147483644, 3 ), ( 2147483645, 4, 2147483645, 4 ), ( 7, 7, 7, 7 ), ( -7, -2, -7, -2 ), ( 2, 7, 2, 7 ), ( 2, 7, 2, 7 ), ( -28, 28, -28, 28 ), ( -2, 1, -2, 1 ), ( -5, 5, -5, 5 ) )
// Of (-7, 7, -7, 7) and (2, -2, -2, 2): divsi, remsi, floordivsi, ceildivsi; unsigned halves, absi; minsi with -2, then of (2, 7)
// minui and maxui with their swapped selves; shli by 2, shrsi by 2, xori with 2.
gpu.func @integers(%to: memref<13x4xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %x = arith.constant dense<[-7, 7, -7, 7]> : vector<4xi32>
  %y = arith.constant dense<[2, -2, -2, 2]> : vector<4xi32>
  %two = arith.constant dense<2> : vector<4xi32>
  %0 = arith.divsi %x, %y : vector<4xi32>
  %at0 = arith.constant 0 : index
  vector.store %0, %to[%at0, %at0] : memref<13x4xi32>, vector<4xi32>
  %1 = arith.remsi %x, %y : vector<4xi32>
  %at1 = arith.constant 1 : index
  vector.store %1, %to[%at1, %at0] : memref<13x4xi32>, vector<4xi32>
  %2 = arith.floordivsi %x, %y : vector<4xi32>
  %at2 = arith.constant 2 : index
  vector.store %2, %to[%at2, %at0] : memref<13x4xi32>, vector<4xi32>
  %3 = arith.ceildivsi %x, %y : vector<4xi32>
  %at3 = arith.constant 3 : index
  vector.store %3, %to[%at3, %at0] : memref<13x4xi32>, vector<4xi32>
  %4 = arith.divui %x, %two : vector<4xi32>
  %at4 = arith.constant 4 : index
  vector.store %4, %to[%at4, %at0] : memref<13x4xi32>, vector<4xi32>
  %5 = arith.ceildivui %x, %two : vector<4xi32>
  %at5 = arith.constant 5 : index
  vector.store %5, %to[%at5, %at0] : memref<13x4xi32>, vector<4xi32>
  %6 = math.absi %x : vector<4xi32>
  %at6 = arith.constant 6 : index
  vector.store %6, %to[%at6, %at0] : memref<13x4xi32>, vector<4xi32>
  %minus = arith.constant dense<-2> : vector<4xi32>
  %7 = arith.minsi %x, %minus : vector<4xi32>
  %at7 = arith.constant 7 : index
  vector.store %7, %to[%at7, %at0] : memref<13x4xi32>, vector<4xi32>
  %p = arith.constant dense<[2, 7, -7, 7]> : vector<4xi32>
  %q = arith.constant dense<[7, 9, 2, 8]> : vector<4xi32>
  %8 = arith.minui %p, %q : vector<4xi32>
  %at8 = arith.constant 8 : index
  vector.store %8, %to[%at8, %at0] : memref<13x4xi32>, vector<4xi32>
  %r = arith.constant dense<[1, 7, 2, 7]> : vector<4xi32>
  %s = arith.constant dense<[2, 3, 1, 6]> : vector<4xi32>
  %9 = arith.maxui %r, %s : vector<4xi32>
  %at9 = arith.constant 9 : index
  vector.store %9, %to[%at9, %at0] : memref<13x4xi32>, vector<4xi32>
  %10 = arith.shli %x, %two : vector<4xi32>
  %at10 = arith.constant 10 : index
  vector.store %10, %to[%at10, %at0] : memref<13x4xi32>, vector<4xi32>
  %11 = arith.shrsi %x, %two : vector<4xi32>
  %at11 = arith.constant 11 : index
  vector.store %11, %to[%at11, %at0] : memref<13x4xi32>, vector<4xi32>
  %12 = arith.xori %x, %two : vector<4xi32>
  %at12 = arith.constant 12 : index
  vector.store %12, %to[%at12, %at0] : memref<13x4xi32>, vector<4xi32>
  %all = vector.load %to[%at0, %at0] : memref<13x4xi32>, vector<13x4xi32>
  vector.print %all : vector<13x4xi32>
  gpu.return
}
// -----
// Larger and smaller of numbers that may be none: maximumf and minimumf give NaN then and tell zeros apart, maxnumf and minnumf
// give the other number. Zeros of either sign are left out of the latter, which may give either.
// lanewise.args to = empty(4, 7)
// prints ( ( nan, nan, nan, 0, 0, nan, 3 ), ( nan, nan, nan, -0, -0, nan, 2 ), ( 1, 1, nan, 5, 5, -inf, 3 ), ( 1, 1, nan, -5, -5, -inf, 2 ) )
gpu.func @floats(%to: memref<4x7xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %x = arith.constant dense<[0x7FC00000, 1.0, 0x7FC00000, -0.0, 0.0, 0xFF800000, 3.0]> : vector<7xf32>
  %y = arith.constant dense<[1.0, 0x7FC00000, 0x7FC00000, 0.0, -0.0, 0x7FC00000, 2.0]> : vector<7xf32>
  %0 = arith.maximumf %x, %y : vector<7xf32>
  %at0 = arith.constant 0 : index
  vector.store %0, %to[%at0, %at0] : memref<4x7xf32>, vector<7xf32>
  %1 = arith.minimumf %x, %y : vector<7xf32>
  %at1 = arith.constant 1 : index
  vector.store %1, %to[%at1, %at0] : memref<4x7xf32>, vector<7xf32>
  %p = arith.constant dense<[0x7FC00000, 1.0, 0x7FC00000, -5.0, 5.0, 0xFF800000, 3.0]> : vector<7xf32>
  %q = arith.constant dense<[1.0, 0x7FC00000, 0x7FC00000, 5.0, -5.0, 0x7FC00000, 2.0]> : vector<7xf32>
  %2 = arith.maxnumf %p, %q : vector<7xf32>
  %at2 = arith.constant 2 : index
  vector.store %2, %to[%at2, %at0] : memref<4x7xf32>, vector<7xf32>
  %3 = arith.minnumf %p, %q : vector<7xf32>
  %at3 = arith.constant 3 : index
  vector.store %3, %to[%at3, %at0] : memref<4x7xf32>, vector<7xf32>
  %all = vector.load %to[%at0, %at0] : memref<4x7xf32>, vector<4x7xf32>
  vector.print %all : vector<4x7xf32>
  gpu.return
}
