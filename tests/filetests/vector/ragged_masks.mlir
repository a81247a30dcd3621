// Masks that are no boxes, on everything that takes one: on where the numbers of row and column add up to something odd.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// Rows of 0 to 15: 100 and 1 + 3, 4 + 6, 9 + 11, 12 + 14. Of 4 and 6 in (4 5 6 7): maxsi, minsi, add.
// (0 1 2 3), (4 5 6 7) by (0 1), (2 3), (4 5), (6 7), where i + j + k is odd: 1*2 + 3*6, 0*1 + 2*5, 4*0 + 6*4, 5*3 + 7*7.
// (1 2) by (3 4 5): 4 to the first row, 6 and 10 to the second. (0 1 2), (3 4 5) read by columns, -9 for what is off.
// lanewise.args x = index(4, 4), y = index(2, 3), b = index(4, 2), z = full(2, 4, value=-1); grid = 1
// prints ( 104, 110, 120, 126 )
// prints ( 6, 4, 10 )
// prints ( ( 120, 110 ), ( 124, 164 ) )
// prints ( ( 10, 14, 10 ), ( 16, 10, 20 ) )
// prints ( ( -9, 3 ), ( 1, -9 ), ( -9, 5 ) )
// prints ( ( -1, 1, -1, 3 ), ( 4, -1, 6, -1 ) )
// prints ( ( 3, -1, 1, -1 ), ( -1, 6, -1, 4 ) )
gpu.func @joined(%x: memref<4x4xi32>, %y: memref<2x3xi32>, %b: memref<4x2xi32>, %z: memref<2x4xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %pad = arith.constant -9 : i32
  %one4 = arith.constant dense<1> : vector<4x4xindex>
  %step4 = vector.step : vector<4xindex>
  %columns = vector.broadcast %step4 : vector<4xindex> to vector<4x4xindex>
  %rows = vector.transpose %columns, [1, 0] : vector<4x4xindex> to vector<4x4xindex>
  %sums = arith.addi %rows, %columns : vector<4x4xindex>
  %bits = arith.andi %sums, %one4 : vector<4x4xindex>
  %odd = arith.cmpi eq, %bits, %one4 : vector<4x4xindex>
  %odd24 = vector.extract_strided_slice %odd {offsets = [0, 0], sizes = [2, 4], strides = [1, 1]} : vector<4x4xi1> to vector<2x4xi1>
  %odd23 = vector.extract_strided_slice %odd {offsets = [0, 0], sizes = [2, 3], strides = [1, 1]} : vector<4x4xi1> to vector<2x3xi1>
  %row = vector.extract %odd[1] : vector<4xi1> from vector<4x4xi1>

  %a = vector.transfer_read %x[%c0, %c0], %zero : memref<4x4xi32>, vector<4x4xi32>
  %acc = arith.constant dense<100> : vector<4xi32>
  %0 = vector.mask %odd { vector.multi_reduction <add>, %a, %acc [1] : vector<4x4xi32> to vector<4xi32> } : vector<4x4xi1> -> vector<4xi32>
  vector.print %0 : vector<4xi32>
  %a1 = vector.extract %a[1] : vector<4xi32> from vector<4x4xi32>
  %1 = vector.mask %row { vector.reduction <maxsi>, %a1 : vector<4xi32> into i32 } : vector<4xi1> -> i32
  %2 = vector.mask %row { vector.reduction <minsi>, %a1 : vector<4xi32> into i32 } : vector<4xi1> -> i32
  %3 = vector.mask %row { vector.reduction <add>, %a1 : vector<4xi32> into i32 } : vector<4xi1> -> i32
  %4 = vector.from_elements %1, %2, %3 : vector<3xi32>
  vector.print %4 : vector<3xi32>

  %lhs = vector.extract_strided_slice %a {offsets = [0, 0], sizes = [2, 4], strides = [1, 1]} : vector<4x4xi32> to vector<2x4xi32>
  %rhs = vector.transfer_read %b[%c0, %c0], %zero : memref<4x2xi32>, vector<4x2xi32>
  %hundreds = arith.constant dense<100> : vector<2x2xi32>
  %i4 = vector.broadcast %odd24 : vector<2x4xi1> to vector<2x2x4xi1>
  %j4 = vector.constant_mask [1, 2, 4] : vector<2x2x4xi1>
  %all = arith.constant dense<true> : vector<2x2x4xi1>
  %second = arith.xori %j4, %all : vector<2x2x4xi1>
  %products = arith.xori %i4, %second : vector<2x2x4xi1>
  %5 = vector.mask %products { vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %lhs, %rhs, %hundreds : vector<2x4xi32>, vector<4x2xi32> into vector<2x2xi32> } : vector<2x2x4xi1> -> vector<2x2xi32>
  vector.print %5 : vector<2x2xi32>

  %l = arith.constant dense<[1, 2]> : vector<2xi32>
  %r = arith.constant dense<[3, 4, 5]> : vector<3xi32>
  %tens = arith.constant dense<10> : vector<2x3xi32>
  %6 = vector.mask %odd23 { vector.outerproduct %l, %r, %tens : vector<2xi32>, vector<3xi32> } : vector<2x3xi1> -> vector<2x3xi32>
  vector.print %6 : vector<2x3xi32>

  %7 = vector.mask %odd23 { vector.transfer_read %y[%c0, %c0], %pad {permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<2x3xi32>, vector<3x2xi32> } : vector<2x3xi1> -> vector<3x2xi32>
  vector.print %7 : vector<3x2xi32>
  vector.mask %odd24 { vector.transfer_write %lhs, %z[%c0, %c0] : vector<2x4xi32>, memref<2x4xi32> } : vector<2x4xi1>
  %8 = vector.transfer_read %z[%c0, %c0], %zero : memref<2x4xi32>, vector<2x4xi32>
  vector.print %8 : vector<2x4xi32>

  // From the last of a row back, and on to the next row: what is off is what was passed in.
  %from = arith.constant dense<[[3, 2, 1, 0], [7, 6, 5, 4]]> : vector<2x4xindex>
  %on = arith.constant dense<true> : vector<2x4xi1>
  %flat = memref.collapse_shape %x [[0, 1]] : memref<4x4xi32> into memref<16xi32>
  %none = arith.constant dense<-1> : vector<2x4xi32>
  %even = arith.xori %odd24, %on : vector<2x4xi1>
  %9 = vector.mask %even { vector.gather %flat[%c0][%from], %on, %none : memref<16xi32>, vector<2x4xindex>, vector<2x4xi1>, vector<2x4xi32> into vector<2x4xi32> } : vector<2x4xi1> -> vector<2x4xi32>
  vector.print %9 : vector<2x4xi32>
  gpu.return
}
// -----
// Masks of their own: of (10 11 12 13) the second and fourth are on; the memory below is 0 to 7.
// lanewise.args x = index(8), y = full(8, value=-1); grid = 1
// prints ( -9, 1, -9, 3 )
// prints ( -9, 0, -9, 1 )
// prints ( -1, 11, -1, 13, 11, 13, -1, -1 )
// prints ( 13, 11, -1, 13, 11, 13, -1, 11 )
gpu.func @memory(%x: memref<8xi32>, %y: memref<8xi32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant dense<1> : vector<4xindex>
  %step = vector.step : vector<4xindex>
  %bits = arith.andi %step, %one : vector<4xindex>
  %odd = arith.cmpi eq, %bits, %one : vector<4xindex>
  %nines = arith.constant dense<-9> : vector<4xi32>
  %v = arith.constant dense<[10, 11, 12, 13]> : vector<4xi32>
  %0 = vector.maskedload %x[%c0], %odd, %nines : memref<8xi32>, vector<4xi1>, vector<4xi32> into vector<4xi32>
  vector.print %0 : vector<4xi32>
  %1 = vector.expandload %x[%c0], %odd, %nines alignment = 16 : memref<8xi32>, vector<4xi1>, vector<4xi32> into vector<4xi32>
  vector.print %1 : vector<4xi32>
  vector.maskedstore %y[%c0], %odd, %v : memref<8xi32>, vector<4xi1>, vector<4xi32>
  vector.compressstore %y[%c4], %odd, %v alignment = 8 : memref<8xi32>, vector<4xi1>, vector<4xi32>
  %2 = vector.transfer_read %y[%c0], %zero : memref<8xi32>, vector<8xi32>
  vector.print %2 : vector<8xi32>
  %to = arith.constant dense<[3, 7, 5, 0]> : vector<4xindex>
  vector.scatter %y[%c0][%to], %odd, %v : memref<8xi32>, vector<4xindex>, vector<4xi1>, vector<4xi32>
  %twelve = arith.constant dense<12> : vector<4xi32>
  %again = arith.constant dense<[2, 1, 6, 1]> : vector<4xindex>
  %last = arith.cmpi slt, %v, %twelve : vector<4xi32>
  %both = arith.andi %odd, %last : vector<4xi1>
  vector.scatter %y[%c0][%again], %both, %v : memref<8xi32>, vector<4xindex>, vector<4xi1>, vector<4xi32>
  %3 = vector.transfer_read %y[%c0], %zero : memref<8xi32>, vector<8xi32>
  vector.print %3 : vector<8xi32>
  gpu.return
}
// -----
// Operations on elements. Two results: (-1 -1 -1 -1) and (0 1 2 3) as unsigned numbers carry where the second is not 0; 5 for
// what is off. One: 0 less (0 1 2 3), and 7.
// lanewise.args x = index(4); grid = 1
// prints ( 5, 0, 5, 2 )
// prints ( 0, 1, 0, 1 )
// prints ( 7, -1, 7, -3 )
gpu.func @two(%x: memref<4xi32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant dense<1> : vector<4xi32>
  %a = vector.transfer_read %x[%c0], %zero : memref<4xi32>, vector<4xi32>
  %bits = arith.andi %a, %one : vector<4xi32>
  %odd = arith.cmpi eq, %bits, %one : vector<4xi32>
  %most = arith.constant dense<-1> : vector<4xi32>
  %sum, %carry = vector.mask %odd { arith.addui_extended %most, %a : vector<4xi32>, vector<4xi1> } : vector<4xi1> -> (vector<4xi32>, vector<4xi1>)
  %fives = arith.constant dense<5> : vector<4xi32>
  %none = arith.constant dense<false> : vector<4xi1>
  %0 = arith.select %odd, %sum, %fives : vector<4xi1>, vector<4xi32>
  vector.print %0 : vector<4xi32>
  %1 = arith.select %odd, %carry, %none : vector<4xi1>, vector<4xi1>
  vector.print %1 : vector<4xi1>
  %sevens = arith.constant dense<7> : vector<4xi32>
  %zeros = arith.constant dense<0> : vector<4xi32>
  %2 = vector.mask %odd, %sevens { arith.subi %zeros, %a : vector<4xi32> } : vector<4xi1> -> vector<4xi32>
  vector.print %2 : vector<4xi32>
  gpu.return
}
