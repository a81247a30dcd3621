gpu.func @exact(%to: memref<12x4xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %c10 = arith.constant 10 : index
  %c11 = arith.constant 11 : index
  %n = arith.constant dense<[1, 6, -1, 40]> : vector<4xi32>
  %0 = math.ctlz %n : vector<4xi32>
  vector.store %0, %to[%c0, %c0] : memref<12x4xi32>, vector<4xi32>
  %1 = math.ctpop %n : vector<4xi32>
  vector.store %1, %to[%c1, %c0] : memref<12x4xi32>, vector<4xi32>
  %2 = math.cttz %n : vector<4xi32>
  vector.store %2, %to[%c2, %c0] : memref<12x4xi32>, vector<4xi32>
  %three = arith.constant dense<3> : vector<4xi32>
  %3 = math.ipowi %n, %three : vector<4xi32>
  vector.store %3, %to[%c3, %c0] : memref<12x4xi32>, vector<4xi32>
  %x = arith.constant dense<[1.5, 0x7F800000, 0x7FC00000, 0.0]> : vector<4xf32>
  %f = math.isfinite %x : vector<4xf32>
  %4 = arith.extui %f : vector<4xi1> to vector<4xi32>
  vector.store %4, %to[%c4, %c0] : memref<12x4xi32>, vector<4xi32>
  %g = math.isinf %x : vector<4xf32>
  %5 = arith.extui %g : vector<4xi1> to vector<4xi32>
  vector.store %5, %to[%c5, %c0] : memref<12x4xi32>, vector<4xi32>
  %h = math.isnan %x : vector<4xf32>
  %6 = arith.extui %h : vector<4xi1> to vector<4xi32>
  vector.store %6, %to[%c6, %c0] : memref<12x4xi32>, vector<4xi32>
  %k = math.isnormal %x : vector<4xf32>
  %7 = arith.extui %k : vector<4xi1> to vector<4xi32>
  vector.store %7, %to[%c7, %c0] : memref<12x4xi32>, vector<4xi32>
  %y = arith.constant dense<[3.0, -3.0, 2.5, 7.9]> : vector<4xf32>
  %low = arith.constant dense<-1.0> : vector<4xf32>
  %high = arith.constant dense<1.0> : vector<4xf32>
  %clamped = math.clampf %y to [%low, %high] : vector<4xf32>
  %negated = arith.negf %clamped : vector<4xf32>
  %two = arith.constant dense<2> : vector<4xi32>
  %squared = math.fpowi %negated, %two : vector<4xf32>, vector<4xi32>
  %mask = arith.constant dense<[true, true, false, false]> : vector<4xi1>
  %whole_of = arith.fptosi %clamped : vector<4xf32> to vector<4xi32>
  %positive = arith.constant dense<[1.0, 1.0, 2.5, 7.9]> : vector<4xf32>
  %cut = arith.fptoui %positive : vector<4xf32> to vector<4xi32>
  %8 = arith.select %mask, %whole_of, %cut : vector<4xi1>, vector<4xi32>
  vector.store %8, %to[%c8, %c0] : memref<12x4xi32>, vector<4xi32>
  %ones = arith.fptosi %squared : vector<4xf32> to vector<4xi32>
  vector.store %ones, %to[%c11, %c0] : memref<12x4xi32>, vector<4xi32>
  %sum, %carry = arith.addui_extended %n, %n : vector<4xi32>, vector<4xi1>
  %9 = arith.extui %carry : vector<4xi1> to vector<4xi32>
  vector.store %9, %to[%c9, %c0] : memref<12x4xi32>, vector<4xi32>
  %bottom, %top = arith.mulsi_extended %n, %three : vector<4xi32>
  vector.store %top, %to[%c10, %c0] : memref<12x4xi32>, vector<4xi32>
  %all = vector.load %to[%c0, %c0] : memref<12x4xi32>, vector<12x4xi32>
  vector.print %all : vector<12x4xi32>
  gpu.return
}
