// Every function of one number, and those of two, on every chip; `tests/mathematics` has their accuracy.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// lanewise.args x = uniform(32, low=0.05, high=0.95), y = empty(38, 32)
gpu.func @of_one(%x: memref<32xf32>, %y: memref<38x32xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %x0 = vector.load %x[%c0] : memref<32xf32>, vector<32xf32>
  %one = arith.constant dense<1.0> : vector<32xf32>
  %half = arith.constant dense<0.5> : vector<32xf32>
  %above = arith.addf %x0, %one : vector<32xf32>
  %c1 = arith.constant 0 : index
  %r0 = math.acos %x0 : vector<32xf32>
  vector.store %r0, %y[%c1, %c0] : memref<38x32xf32>, vector<32xf32>
  %c2 = arith.constant 1 : index
  %r1 = math.asin %x0 : vector<32xf32>
  vector.store %r1, %y[%c2, %c0] : memref<38x32xf32>, vector<32xf32>
  %c3 = arith.constant 2 : index
  %r2 = math.atan %x0 : vector<32xf32>
  vector.store %r2, %y[%c3, %c0] : memref<38x32xf32>, vector<32xf32>
  %c4 = arith.constant 3 : index
  %r3 = math.asinh %x0 : vector<32xf32>
  vector.store %r3, %y[%c4, %c0] : memref<38x32xf32>, vector<32xf32>
  %c5 = arith.constant 4 : index
  %r4 = math.atanh %x0 : vector<32xf32>
  vector.store %r4, %y[%c5, %c0] : memref<38x32xf32>, vector<32xf32>
  %c6 = arith.constant 5 : index
  %r5 = math.cbrt %x0 : vector<32xf32>
  vector.store %r5, %y[%c6, %c0] : memref<38x32xf32>, vector<32xf32>
  %c7 = arith.constant 6 : index
  %r6 = math.ceil %x0 : vector<32xf32>
  vector.store %r6, %y[%c7, %c0] : memref<38x32xf32>, vector<32xf32>
  %c8 = arith.constant 7 : index
  %r7 = math.cos %x0 : vector<32xf32>
  vector.store %r7, %y[%c8, %c0] : memref<38x32xf32>, vector<32xf32>
  %c9 = arith.constant 8 : index
  %r8 = math.cosh %x0 : vector<32xf32>
  vector.store %r8, %y[%c9, %c0] : memref<38x32xf32>, vector<32xf32>
  %c10 = arith.constant 9 : index
  %r9 = math.erf %x0 : vector<32xf32>
  vector.store %r9, %y[%c10, %c0] : memref<38x32xf32>, vector<32xf32>
  %c11 = arith.constant 10 : index
  %r10 = math.erfc %x0 : vector<32xf32>
  vector.store %r10, %y[%c11, %c0] : memref<38x32xf32>, vector<32xf32>
  %c12 = arith.constant 11 : index
  %r11 = math.expm1 %x0 : vector<32xf32>
  vector.store %r11, %y[%c12, %c0] : memref<38x32xf32>, vector<32xf32>
  %c13 = arith.constant 12 : index
  %r12 = math.floor %x0 : vector<32xf32>
  vector.store %r12, %y[%c13, %c0] : memref<38x32xf32>, vector<32xf32>
  %c14 = arith.constant 13 : index
  %r13 = math.log %x0 : vector<32xf32>
  vector.store %r13, %y[%c14, %c0] : memref<38x32xf32>, vector<32xf32>
  %c15 = arith.constant 14 : index
  %r14 = math.log10 %x0 : vector<32xf32>
  vector.store %r14, %y[%c15, %c0] : memref<38x32xf32>, vector<32xf32>
  %c16 = arith.constant 15 : index
  %r15 = math.log1p %x0 : vector<32xf32>
  vector.store %r15, %y[%c16, %c0] : memref<38x32xf32>, vector<32xf32>
  %c17 = arith.constant 16 : index
  %r16 = math.log2 %x0 : vector<32xf32>
  vector.store %r16, %y[%c17, %c0] : memref<38x32xf32>, vector<32xf32>
  %c18 = arith.constant 17 : index
  %r17 = math.round %x0 : vector<32xf32>
  vector.store %r17, %y[%c18, %c0] : memref<38x32xf32>, vector<32xf32>
  %c19 = arith.constant 18 : index
  %r18 = math.roundeven %x0 : vector<32xf32>
  vector.store %r18, %y[%c19, %c0] : memref<38x32xf32>, vector<32xf32>
  %c20 = arith.constant 19 : index
  %r19 = math.sin %x0 : vector<32xf32>
  vector.store %r19, %y[%c20, %c0] : memref<38x32xf32>, vector<32xf32>
  %c21 = arith.constant 20 : index
  %r20 = math.sinh %x0 : vector<32xf32>
  vector.store %r20, %y[%c21, %c0] : memref<38x32xf32>, vector<32xf32>
  %c22 = arith.constant 21 : index
  %r21 = math.tan %x0 : vector<32xf32>
  vector.store %r21, %y[%c22, %c0] : memref<38x32xf32>, vector<32xf32>
  %c23 = arith.constant 22 : index
  %r22 = math.tanh %x0 : vector<32xf32>
  vector.store %r22, %y[%c23, %c0] : memref<38x32xf32>, vector<32xf32>
  %c24 = arith.constant 23 : index
  %r23 = math.trunc %x0 : vector<32xf32>
  vector.store %r23, %y[%c24, %c0] : memref<38x32xf32>, vector<32xf32>
  %c25 = arith.constant 24 : index
  %r24 = math.absf %x0 : vector<32xf32>
  vector.store %r24, %y[%c25, %c0] : memref<38x32xf32>, vector<32xf32>
  %c26 = arith.constant 25 : index
  %r25 = math.exp %x0 : vector<32xf32>
  vector.store %r25, %y[%c26, %c0] : memref<38x32xf32>, vector<32xf32>
  %c27 = arith.constant 26 : index
  %r26 = math.exp2 %x0 : vector<32xf32>
  vector.store %r26, %y[%c27, %c0] : memref<38x32xf32>, vector<32xf32>
  %c28 = arith.constant 27 : index
  %r27 = math.sqrt %x0 : vector<32xf32>
  vector.store %r27, %y[%c28, %c0] : memref<38x32xf32>, vector<32xf32>
  %c29 = arith.constant 28 : index
  %r28 = math.rsqrt %x0 : vector<32xf32>
  vector.store %r28, %y[%c29, %c0] : memref<38x32xf32>, vector<32xf32>
  %c30 = arith.constant 29 : index
  %r29 = math.acosh %above : vector<32xf32>
  vector.store %r29, %y[%c30, %c0] : memref<38x32xf32>, vector<32xf32>
  %c31 = arith.constant 30 : index
  %r30 = math.atan2 %x0, %half : vector<32xf32>
  vector.store %r30, %y[%c31, %c0] : memref<38x32xf32>, vector<32xf32>
  %c32 = arith.constant 31 : index
  %r31 = math.powf %x0, %above : vector<32xf32>
  vector.store %r31, %y[%c32, %c0] : memref<38x32xf32>, vector<32xf32>
  %c33 = arith.constant 32 : index
  %r32 = math.copysign %x0, %above : vector<32xf32>
  vector.store %r32, %y[%c33, %c0] : memref<38x32xf32>, vector<32xf32>
  %c34 = arith.constant 33 : index
  %r33 = math.fma %x0, %half, %above : vector<32xf32>
  vector.store %r33, %y[%c34, %c0] : memref<38x32xf32>, vector<32xf32>
  %c35 = arith.constant 34 : index
  %r34 = arith.divf %x0, %above : vector<32xf32>
  vector.store %r34, %y[%c35, %c0] : memref<38x32xf32>, vector<32xf32>
  %c36 = arith.constant 35 : index
  %r35 = arith.remf %above, %x0 : vector<32xf32>
  vector.store %r35, %y[%c36, %c0] : memref<38x32xf32>, vector<32xf32>
  %c37 = arith.constant 36 : index
  %c38 = arith.constant 37 : index
  %sin, %cos = math.sincos %x0 : vector<32xf32>
  vector.store %sin, %y[%c37, %c0] : memref<38x32xf32>, vector<32xf32>
  vector.store %cos, %y[%c38, %c0] : memref<38x32xf32>, vector<32xf32>
  gpu.return
}
// -----
// What is exact, with its numbers: of (1, 6, -1, 40) the zeros in front, the ones, the zeros behind, the cubes; of (1.5, inf, nan, 0)
// whether finite, infinite, no number, normal; 3 and -3 clamped to (-1, 1), 2.5 and 7.9 without
// their fractions; the squares of what is clamped and negated, 1 each; carries of twice the numbers, the upper halves of three times.
// lanewise.args to = empty(12, 4)
// prints ( ( 31, 29, 0, 26 ), ( 1, 2, 32, 2 ), ( 0, 1, 0, 3 ), ( 1, 216, -1, 64000 ), ( 1, 0, 0, 1 ), ( 0, 1, 0, 0 ), ( 0, 0, 1, 0 ), ( 1, 0, 0, 0 ), ( 1, -1, 2, 7 ), ( 0, 0, 1, 0 ), ( 0, 0, -1, 0 ), ( 1, 1, 1, 1 ) )
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
