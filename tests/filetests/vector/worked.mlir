// Operations of the vector dialect on numbers whose results are known; they are in the row that is printed.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// Of (-1, 5, 7, 2): maxsi, maxui, minsi, minui; and, or, add, mul. Sums so far with and without the element itself, from 10.
// (1 2) and (11 12) backwards; 2x3 (columns 1 2, 3 4, 5 6) by 3x2 (1 0 0, 1 1 1); (1 2) by (3 4) and 10 more each.
// lanewise.args to = empty(7, 4)
// prints ( ( 7, -1, -1, 2 ), ( 0, -1, 13, -70 ), ( -1, 4, 11, 13 ), ( 10, 9, 14, 21 ), ( 12, 11, 2, 1 ), ( 1, 2, 9, 12 ), ( 13, 14, 16, 18 ) )
gpu.func @known(%to: memref<7x4xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %v = arith.constant dense<[-1, 5, 7, 2]> : vector<4xi32>
  %a = vector.reduction <maxsi>, %v : vector<4xi32> into i32
  %b = vector.reduction <maxui>, %v : vector<4xi32> into i32
  %c = vector.reduction <minsi>, %v : vector<4xi32> into i32
  %d = vector.reduction <minui>, %v : vector<4xi32> into i32
  %row0 = vector.from_elements %a, %b, %c, %d : vector<4xi32>
  vector.store %row0, %to[%c0, %c0] : memref<7x4xi32>, vector<4xi32>
  %e = vector.reduction <and>, %v : vector<4xi32> into i32
  %f = vector.reduction <or>, %v : vector<4xi32> into i32
  %g = vector.reduction <add>, %v : vector<4xi32> into i32
  %h = vector.reduction <mul>, %v : vector<4xi32> into i32
  %row1 = vector.from_elements %e, %f, %g, %h : vector<4xi32>
  vector.store %row1, %to[%c1, %c0] : memref<7x4xi32>, vector<4xi32>
  %ten = arith.constant dense<10> : vector<1xi32>
  %column = vector.shape_cast %v : vector<4xi32> to vector<4x1xi32>
  %in, %last = vector.scan <add>, %column, %ten {inclusive = true, reduction_dim = 0 : i64} : vector<4x1xi32>, vector<1xi32>
  %row2 = vector.shape_cast %in : vector<4x1xi32> to vector<4xi32>
  vector.store %row2, %to[%c2, %c0] : memref<7x4xi32>, vector<4xi32>
  %ex, %last2 = vector.scan <add>, %column, %ten {inclusive = false, reduction_dim = 0 : i64} : vector<4x1xi32>, vector<1xi32>
  %row3 = vector.shape_cast %ex : vector<4x1xi32> to vector<4xi32>
  vector.store %row3, %to[%c3, %c0] : memref<7x4xi32>, vector<4xi32>
  %p = arith.constant dense<[1, 2]> : vector<2xi32>
  %q = arith.constant dense<[11, 12]> : vector<2xi32>
  %row4 = vector.shuffle %p, %q [3, 2, 1, 0] : vector<2xi32>, vector<2xi32>
  vector.store %row4, %to[%c4, %c0] : memref<7x4xi32>, vector<4xi32>
  %left = arith.constant dense<[1, 2, 3, 4, 5, 6]> : vector<6xi32>
  %right = arith.constant dense<[1, 0, 0, 1, 1, 1]> : vector<6xi32>
  %row5 = vector.matrix_multiply %left, %right {lhs_rows = 2 : i32, lhs_columns = 3 : i32, rhs_columns = 2 : i32} : (vector<6xi32>, vector<6xi32>) -> vector<4xi32>
  vector.store %row5, %to[%c5, %c0] : memref<7x4xi32>, vector<4xi32>
  %r = arith.constant dense<[3, 4]> : vector<2xi32>
  %tens = arith.constant dense<10> : vector<2x2xi32>
  %outer = vector.outerproduct %p, %r, %tens {kind = #vector.kind<add>} : vector<2xi32>, vector<2xi32>
  %row6 = vector.shape_cast %outer : vector<2x2xi32> to vector<4xi32>
  vector.store %row6, %to[%c6, %c0] : memref<7x4xi32>, vector<4xi32>
  %all = vector.load %to[%c0, %c0] : memref<7x4xi32>, vector<7x4xi32>
  vector.print %all : vector<7x4xi32>
  gpu.return
}
// -----
// Rounded once: 4097 * 4097 - 16785408 is 1, not 0.
// lanewise.args x = empty(4)
// prints ( 1, 1, 1, 1 )
gpu.func @once(%x: memref<4xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<4097.0> : vector<4xf32>
  %b = arith.constant dense<-16785408.0> : vector<4xf32>
  %v = vector.fma %a, %a, %b : vector<4xf32>
  vector.store %v, %x[%c0] : memref<4xf32>, vector<4xf32>
  vector.print %v : vector<4xf32>
  gpu.return
}
