// Conversions between a float of 8 bits, one of powers of two, a bit, index, and all other numbers.
// test run target=sm_90
// lanewise.args x = special(64), z0 = empty(64), z1 = empty(64), z2 = empty(64), z3 = empty(64), z4 = empty(64), z5 = empty(64), z6 = empty(64), z7 = empty(64), z8 = empty(64), z9 = empty(64), z10 = empty(64), z11 = empty(64), z12 = empty(64), z13 = empty(64), z14 = empty(64), z15 = empty(64), z16 = empty(64), z17 = empty(64), z18 = empty(64), z19 = empty(64), z20 = empty(64), z21 = empty(64), z22 = empty(64), z23 = empty(64), z24 = empty(64), z25 = empty(64), z26 = empty(64), z27 = empty(64), z28 = empty(64), z29 = empty(64), z30 = empty(64), z31 = empty(64), z32 = empty(64), z33 = empty(64), z34 = empty(64), z35 = empty(64), z36 = empty(64), z37 = empty(64), z38 = empty(64)
gpu.func @casts(%x: memref<64xf8E4M3FN>, %z0: memref<64xf64>, %z1: memref<64xf32>, %z2: memref<64xtf32>, %z3: memref<64xf16>, %z4: memref<64xbf16>, %z5: memref<64xf8E5M2>, %z6: memref<64xf8E4M3FNUZ>, %z7: memref<64xf8E5M2FNUZ>, %z8: memref<64xf8E8M0FNU>, %z9: memref<64xf8E4M3>, %z10: memref<64xf8E3M4>, %z11: memref<64xf8E4M3B11FNUZ>, %z12: memref<64xf6E2M3FN>, %z13: memref<64xf6E3M2FN>, %z14: memref<64xf4E2M1FN>, %z15: memref<64xi1>, %z16: memref<64xi1>, %z17: memref<64xi2>, %z18: memref<64xi2>, %z19: memref<64xi3>, %z20: memref<64xi3>, %z21: memref<64xi4>, %z22: memref<64xi4>, %z23: memref<64xi7>, %z24: memref<64xi7>, %z25: memref<64xi8>, %z26: memref<64xi8>, %z27: memref<64xi12>, %z28: memref<64xi12>, %z29: memref<64xi16>, %z30: memref<64xi16>, %z31: memref<64xi24>, %z32: memref<64xi24>, %z33: memref<64xi32>, %z34: memref<64xi32>, %z35: memref<64xi48>, %z36: memref<64xi48>, %z37: memref<64xi64>, %z38: memref<64xi64>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 1.0 : f8E4M3FN
  %a = vector.transfer_read %x[%c0], %p : memref<64xf8E4M3FN>, vector<64xf8E4M3FN>
  %r0 = arith.extf %a : vector<64xf8E4M3FN> to vector<64xf64>
  vector.transfer_write %r0, %z0[%c0] : vector<64xf64>, memref<64xf64>
  %r1 = arith.extf %a : vector<64xf8E4M3FN> to vector<64xf32>
  vector.transfer_write %r1, %z1[%c0] : vector<64xf32>, memref<64xf32>
  %r2 = arith.extf %a : vector<64xf8E4M3FN> to vector<64xtf32>
  vector.transfer_write %r2, %z2[%c0] : vector<64xtf32>, memref<64xtf32>
  %r3 = arith.extf %a : vector<64xf8E4M3FN> to vector<64xf16>
  vector.transfer_write %r3, %z3[%c0] : vector<64xf16>, memref<64xf16>
  %r4 = arith.extf %a : vector<64xf8E4M3FN> to vector<64xbf16>
  vector.transfer_write %r4, %z4[%c0] : vector<64xbf16>, memref<64xbf16>
  %r5 = arith.convertf %a : vector<64xf8E4M3FN> to vector<64xf8E5M2>
  vector.transfer_write %r5, %z5[%c0] : vector<64xf8E5M2>, memref<64xf8E5M2>
  %r6 = arith.convertf %a : vector<64xf8E4M3FN> to vector<64xf8E4M3FNUZ>
  vector.transfer_write %r6, %z6[%c0] : vector<64xf8E4M3FNUZ>, memref<64xf8E4M3FNUZ>
  %r7 = arith.convertf %a : vector<64xf8E4M3FN> to vector<64xf8E5M2FNUZ>
  vector.transfer_write %r7, %z7[%c0] : vector<64xf8E5M2FNUZ>, memref<64xf8E5M2FNUZ>
  %r8 = arith.convertf %a : vector<64xf8E4M3FN> to vector<64xf8E8M0FNU>
  vector.transfer_write %r8, %z8[%c0] : vector<64xf8E8M0FNU>, memref<64xf8E8M0FNU>
  %r9 = arith.convertf %a : vector<64xf8E4M3FN> to vector<64xf8E4M3>
  vector.transfer_write %r9, %z9[%c0] : vector<64xf8E4M3>, memref<64xf8E4M3>
  %r10 = arith.convertf %a : vector<64xf8E4M3FN> to vector<64xf8E3M4>
  vector.transfer_write %r10, %z10[%c0] : vector<64xf8E3M4>, memref<64xf8E3M4>
  %r11 = arith.convertf %a : vector<64xf8E4M3FN> to vector<64xf8E4M3B11FNUZ>
  vector.transfer_write %r11, %z11[%c0] : vector<64xf8E4M3B11FNUZ>, memref<64xf8E4M3B11FNUZ>
  %r12 = arith.truncf %a : vector<64xf8E4M3FN> to vector<64xf6E2M3FN>
  vector.transfer_write %r12, %z12[%c0] : vector<64xf6E2M3FN>, memref<64xf6E2M3FN>
  %r13 = arith.truncf %a : vector<64xf8E4M3FN> to vector<64xf6E3M2FN>
  vector.transfer_write %r13, %z13[%c0] : vector<64xf6E3M2FN>, memref<64xf6E3M2FN>
  %r14 = arith.truncf %a : vector<64xf8E4M3FN> to vector<64xf4E2M1FN>
  vector.transfer_write %r14, %z14[%c0] : vector<64xf4E2M1FN>, memref<64xf4E2M1FN>
  %r15 = arith.fptosi %a : vector<64xf8E4M3FN> to vector<64xi1>
  vector.transfer_write %r15, %z15[%c0] : vector<64xi1>, memref<64xi1>
  %r16 = arith.fptoui %a : vector<64xf8E4M3FN> to vector<64xi1>
  vector.transfer_write %r16, %z16[%c0] : vector<64xi1>, memref<64xi1>
  %r17 = arith.fptosi %a : vector<64xf8E4M3FN> to vector<64xi2>
  vector.transfer_write %r17, %z17[%c0] : vector<64xi2>, memref<64xi2>
  %r18 = arith.fptoui %a : vector<64xf8E4M3FN> to vector<64xi2>
  vector.transfer_write %r18, %z18[%c0] : vector<64xi2>, memref<64xi2>
  %r19 = arith.fptosi %a : vector<64xf8E4M3FN> to vector<64xi3>
  vector.transfer_write %r19, %z19[%c0] : vector<64xi3>, memref<64xi3>
  %r20 = arith.fptoui %a : vector<64xf8E4M3FN> to vector<64xi3>
  vector.transfer_write %r20, %z20[%c0] : vector<64xi3>, memref<64xi3>
  %r21 = arith.fptosi %a : vector<64xf8E4M3FN> to vector<64xi4>
  vector.transfer_write %r21, %z21[%c0] : vector<64xi4>, memref<64xi4>
  %r22 = arith.fptoui %a : vector<64xf8E4M3FN> to vector<64xi4>
  vector.transfer_write %r22, %z22[%c0] : vector<64xi4>, memref<64xi4>
  %r23 = arith.fptosi %a : vector<64xf8E4M3FN> to vector<64xi7>
  vector.transfer_write %r23, %z23[%c0] : vector<64xi7>, memref<64xi7>
  %r24 = arith.fptoui %a : vector<64xf8E4M3FN> to vector<64xi7>
  vector.transfer_write %r24, %z24[%c0] : vector<64xi7>, memref<64xi7>
  %r25 = arith.fptosi %a : vector<64xf8E4M3FN> to vector<64xi8>
  vector.transfer_write %r25, %z25[%c0] : vector<64xi8>, memref<64xi8>
  %r26 = arith.fptoui %a : vector<64xf8E4M3FN> to vector<64xi8>
  vector.transfer_write %r26, %z26[%c0] : vector<64xi8>, memref<64xi8>
  %r27 = arith.fptosi %a : vector<64xf8E4M3FN> to vector<64xi12>
  vector.transfer_write %r27, %z27[%c0] : vector<64xi12>, memref<64xi12>
  %r28 = arith.fptoui %a : vector<64xf8E4M3FN> to vector<64xi12>
  vector.transfer_write %r28, %z28[%c0] : vector<64xi12>, memref<64xi12>
  %r29 = arith.fptosi %a : vector<64xf8E4M3FN> to vector<64xi16>
  vector.transfer_write %r29, %z29[%c0] : vector<64xi16>, memref<64xi16>
  %r30 = arith.fptoui %a : vector<64xf8E4M3FN> to vector<64xi16>
  vector.transfer_write %r30, %z30[%c0] : vector<64xi16>, memref<64xi16>
  %r31 = arith.fptosi %a : vector<64xf8E4M3FN> to vector<64xi24>
  vector.transfer_write %r31, %z31[%c0] : vector<64xi24>, memref<64xi24>
  %r32 = arith.fptoui %a : vector<64xf8E4M3FN> to vector<64xi24>
  vector.transfer_write %r32, %z32[%c0] : vector<64xi24>, memref<64xi24>
  %r33 = arith.fptosi %a : vector<64xf8E4M3FN> to vector<64xi32>
  vector.transfer_write %r33, %z33[%c0] : vector<64xi32>, memref<64xi32>
  %r34 = arith.fptoui %a : vector<64xf8E4M3FN> to vector<64xi32>
  vector.transfer_write %r34, %z34[%c0] : vector<64xi32>, memref<64xi32>
  %r35 = arith.fptosi %a : vector<64xf8E4M3FN> to vector<64xi48>
  vector.transfer_write %r35, %z35[%c0] : vector<64xi48>, memref<64xi48>
  %r36 = arith.fptoui %a : vector<64xf8E4M3FN> to vector<64xi48>
  vector.transfer_write %r36, %z36[%c0] : vector<64xi48>, memref<64xi48>
  %r37 = arith.fptosi %a : vector<64xf8E4M3FN> to vector<64xi64>
  vector.transfer_write %r37, %z37[%c0] : vector<64xi64>, memref<64xi64>
  %r38 = arith.fptoui %a : vector<64xf8E4M3FN> to vector<64xi64>
  vector.transfer_write %r38, %z38[%c0] : vector<64xi64>, memref<64xi64>
  gpu.return
}
// -----
// lanewise.args x = special(64), z0 = empty(64), z1 = empty(64), z2 = empty(64), z3 = empty(64), z4 = empty(64), z5 = empty(64), z6 = empty(64), z7 = empty(64), z8 = empty(64), z9 = empty(64), z10 = empty(64), z11 = empty(64), z12 = empty(64), z13 = empty(64), z14 = empty(64), z15 = empty(64), z16 = empty(64), z17 = empty(64), z18 = empty(64), z19 = empty(64), z20 = empty(64), z21 = empty(64), z22 = empty(64), z23 = empty(64), z24 = empty(64), z25 = empty(64), z26 = empty(64), z27 = empty(64), z28 = empty(64), z29 = empty(64), z30 = empty(64), z31 = empty(64), z32 = empty(64), z33 = empty(64), z34 = empty(64), z35 = empty(64), z36 = empty(64), z37 = empty(64), z38 = empty(64)
gpu.func @casts(%x: memref<64xf8E8M0FNU>, %z0: memref<64xf64>, %z1: memref<64xf32>, %z2: memref<64xtf32>, %z3: memref<64xf16>, %z4: memref<64xbf16>, %z5: memref<64xf8E4M3FN>, %z6: memref<64xf8E5M2>, %z7: memref<64xf8E4M3FNUZ>, %z8: memref<64xf8E5M2FNUZ>, %z9: memref<64xf8E4M3>, %z10: memref<64xf8E3M4>, %z11: memref<64xf8E4M3B11FNUZ>, %z12: memref<64xf6E2M3FN>, %z13: memref<64xf6E3M2FN>, %z14: memref<64xf4E2M1FN>, %z15: memref<64xi1>, %z16: memref<64xi1>, %z17: memref<64xi2>, %z18: memref<64xi2>, %z19: memref<64xi3>, %z20: memref<64xi3>, %z21: memref<64xi4>, %z22: memref<64xi4>, %z23: memref<64xi7>, %z24: memref<64xi7>, %z25: memref<64xi8>, %z26: memref<64xi8>, %z27: memref<64xi12>, %z28: memref<64xi12>, %z29: memref<64xi16>, %z30: memref<64xi16>, %z31: memref<64xi24>, %z32: memref<64xi24>, %z33: memref<64xi32>, %z34: memref<64xi32>, %z35: memref<64xi48>, %z36: memref<64xi48>, %z37: memref<64xi64>, %z38: memref<64xi64>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 1.0 : f8E8M0FNU
  %a = vector.transfer_read %x[%c0], %p : memref<64xf8E8M0FNU>, vector<64xf8E8M0FNU>
  %r0 = arith.extf %a : vector<64xf8E8M0FNU> to vector<64xf64>
  vector.transfer_write %r0, %z0[%c0] : vector<64xf64>, memref<64xf64>
  %r1 = arith.extf %a : vector<64xf8E8M0FNU> to vector<64xf32>
  vector.transfer_write %r1, %z1[%c0] : vector<64xf32>, memref<64xf32>
  %r2 = arith.extf %a : vector<64xf8E8M0FNU> to vector<64xtf32>
  vector.transfer_write %r2, %z2[%c0] : vector<64xtf32>, memref<64xtf32>
  %r3 = arith.extf %a : vector<64xf8E8M0FNU> to vector<64xf16>
  vector.transfer_write %r3, %z3[%c0] : vector<64xf16>, memref<64xf16>
  %r4 = arith.extf %a : vector<64xf8E8M0FNU> to vector<64xbf16>
  vector.transfer_write %r4, %z4[%c0] : vector<64xbf16>, memref<64xbf16>
  %r5 = arith.convertf %a : vector<64xf8E8M0FNU> to vector<64xf8E4M3FN>
  vector.transfer_write %r5, %z5[%c0] : vector<64xf8E4M3FN>, memref<64xf8E4M3FN>
  %r6 = arith.convertf %a : vector<64xf8E8M0FNU> to vector<64xf8E5M2>
  vector.transfer_write %r6, %z6[%c0] : vector<64xf8E5M2>, memref<64xf8E5M2>
  %r7 = arith.convertf %a : vector<64xf8E8M0FNU> to vector<64xf8E4M3FNUZ>
  vector.transfer_write %r7, %z7[%c0] : vector<64xf8E4M3FNUZ>, memref<64xf8E4M3FNUZ>
  %r8 = arith.convertf %a : vector<64xf8E8M0FNU> to vector<64xf8E5M2FNUZ>
  vector.transfer_write %r8, %z8[%c0] : vector<64xf8E5M2FNUZ>, memref<64xf8E5M2FNUZ>
  %r9 = arith.convertf %a : vector<64xf8E8M0FNU> to vector<64xf8E4M3>
  vector.transfer_write %r9, %z9[%c0] : vector<64xf8E4M3>, memref<64xf8E4M3>
  %r10 = arith.convertf %a : vector<64xf8E8M0FNU> to vector<64xf8E3M4>
  vector.transfer_write %r10, %z10[%c0] : vector<64xf8E3M4>, memref<64xf8E3M4>
  %r11 = arith.convertf %a : vector<64xf8E8M0FNU> to vector<64xf8E4M3B11FNUZ>
  vector.transfer_write %r11, %z11[%c0] : vector<64xf8E4M3B11FNUZ>, memref<64xf8E4M3B11FNUZ>
  %r12 = arith.truncf %a : vector<64xf8E8M0FNU> to vector<64xf6E2M3FN>
  vector.transfer_write %r12, %z12[%c0] : vector<64xf6E2M3FN>, memref<64xf6E2M3FN>
  %r13 = arith.truncf %a : vector<64xf8E8M0FNU> to vector<64xf6E3M2FN>
  vector.transfer_write %r13, %z13[%c0] : vector<64xf6E3M2FN>, memref<64xf6E3M2FN>
  %r14 = arith.truncf %a : vector<64xf8E8M0FNU> to vector<64xf4E2M1FN>
  vector.transfer_write %r14, %z14[%c0] : vector<64xf4E2M1FN>, memref<64xf4E2M1FN>
  %r15 = arith.fptosi %a : vector<64xf8E8M0FNU> to vector<64xi1>
  vector.transfer_write %r15, %z15[%c0] : vector<64xi1>, memref<64xi1>
  %r16 = arith.fptoui %a : vector<64xf8E8M0FNU> to vector<64xi1>
  vector.transfer_write %r16, %z16[%c0] : vector<64xi1>, memref<64xi1>
  %r17 = arith.fptosi %a : vector<64xf8E8M0FNU> to vector<64xi2>
  vector.transfer_write %r17, %z17[%c0] : vector<64xi2>, memref<64xi2>
  %r18 = arith.fptoui %a : vector<64xf8E8M0FNU> to vector<64xi2>
  vector.transfer_write %r18, %z18[%c0] : vector<64xi2>, memref<64xi2>
  %r19 = arith.fptosi %a : vector<64xf8E8M0FNU> to vector<64xi3>
  vector.transfer_write %r19, %z19[%c0] : vector<64xi3>, memref<64xi3>
  %r20 = arith.fptoui %a : vector<64xf8E8M0FNU> to vector<64xi3>
  vector.transfer_write %r20, %z20[%c0] : vector<64xi3>, memref<64xi3>
  %r21 = arith.fptosi %a : vector<64xf8E8M0FNU> to vector<64xi4>
  vector.transfer_write %r21, %z21[%c0] : vector<64xi4>, memref<64xi4>
  %r22 = arith.fptoui %a : vector<64xf8E8M0FNU> to vector<64xi4>
  vector.transfer_write %r22, %z22[%c0] : vector<64xi4>, memref<64xi4>
  %r23 = arith.fptosi %a : vector<64xf8E8M0FNU> to vector<64xi7>
  vector.transfer_write %r23, %z23[%c0] : vector<64xi7>, memref<64xi7>
  %r24 = arith.fptoui %a : vector<64xf8E8M0FNU> to vector<64xi7>
  vector.transfer_write %r24, %z24[%c0] : vector<64xi7>, memref<64xi7>
  %r25 = arith.fptosi %a : vector<64xf8E8M0FNU> to vector<64xi8>
  vector.transfer_write %r25, %z25[%c0] : vector<64xi8>, memref<64xi8>
  %r26 = arith.fptoui %a : vector<64xf8E8M0FNU> to vector<64xi8>
  vector.transfer_write %r26, %z26[%c0] : vector<64xi8>, memref<64xi8>
  %r27 = arith.fptosi %a : vector<64xf8E8M0FNU> to vector<64xi12>
  vector.transfer_write %r27, %z27[%c0] : vector<64xi12>, memref<64xi12>
  %r28 = arith.fptoui %a : vector<64xf8E8M0FNU> to vector<64xi12>
  vector.transfer_write %r28, %z28[%c0] : vector<64xi12>, memref<64xi12>
  %r29 = arith.fptosi %a : vector<64xf8E8M0FNU> to vector<64xi16>
  vector.transfer_write %r29, %z29[%c0] : vector<64xi16>, memref<64xi16>
  %r30 = arith.fptoui %a : vector<64xf8E8M0FNU> to vector<64xi16>
  vector.transfer_write %r30, %z30[%c0] : vector<64xi16>, memref<64xi16>
  %r31 = arith.fptosi %a : vector<64xf8E8M0FNU> to vector<64xi24>
  vector.transfer_write %r31, %z31[%c0] : vector<64xi24>, memref<64xi24>
  %r32 = arith.fptoui %a : vector<64xf8E8M0FNU> to vector<64xi24>
  vector.transfer_write %r32, %z32[%c0] : vector<64xi24>, memref<64xi24>
  %r33 = arith.fptosi %a : vector<64xf8E8M0FNU> to vector<64xi32>
  vector.transfer_write %r33, %z33[%c0] : vector<64xi32>, memref<64xi32>
  %r34 = arith.fptoui %a : vector<64xf8E8M0FNU> to vector<64xi32>
  vector.transfer_write %r34, %z34[%c0] : vector<64xi32>, memref<64xi32>
  %r35 = arith.fptosi %a : vector<64xf8E8M0FNU> to vector<64xi48>
  vector.transfer_write %r35, %z35[%c0] : vector<64xi48>, memref<64xi48>
  %r36 = arith.fptoui %a : vector<64xf8E8M0FNU> to vector<64xi48>
  vector.transfer_write %r36, %z36[%c0] : vector<64xi48>, memref<64xi48>
  %r37 = arith.fptosi %a : vector<64xf8E8M0FNU> to vector<64xi64>
  vector.transfer_write %r37, %z37[%c0] : vector<64xi64>, memref<64xi64>
  %r38 = arith.fptoui %a : vector<64xf8E8M0FNU> to vector<64xi64>
  vector.transfer_write %r38, %z38[%c0] : vector<64xi64>, memref<64xi64>
  gpu.return
}
// -----
// lanewise.args x = special(64), z0 = empty(64), z1 = empty(64), z2 = empty(64), z3 = empty(64), z4 = empty(64), z5 = empty(64), z6 = empty(64), z7 = empty(64), z8 = empty(64), z9 = empty(64), z10 = empty(64), z11 = empty(64), z12 = empty(64), z13 = empty(64), z14 = empty(64), z15 = empty(64), z16 = empty(64), z17 = empty(64), z18 = empty(64), z19 = empty(64), z20 = empty(64), z21 = empty(64), z22 = empty(64), z23 = empty(64), z24 = empty(64), z25 = empty(64), z26 = empty(64), z27 = empty(64), z28 = empty(64), z29 = empty(64), z30 = empty(64), z31 = empty(64), z32 = empty(64), z33 = empty(64), z34 = empty(64), z35 = empty(64), z36 = empty(64), z37 = empty(64), z38 = empty(64), z39 = empty(64), z40 = empty(64), z41 = empty(64), z42 = empty(64), z43 = empty(64), z44 = empty(64), z45 = empty(64), z46 = empty(64), z47 = empty(64), z48 = empty(64), z49 = empty(64), z50 = empty(64), z51 = empty(64), z52 = empty(64), z53 = empty(64), z54 = empty(64), z55 = empty(64)
gpu.func @casts(%x: memref<64xi1>, %z0: memref<64xf64>, %z1: memref<64xf64>, %z2: memref<64xf32>, %z3: memref<64xf32>, %z4: memref<64xtf32>, %z5: memref<64xtf32>, %z6: memref<64xf16>, %z7: memref<64xf16>, %z8: memref<64xbf16>, %z9: memref<64xbf16>, %z10: memref<64xf8E4M3FN>, %z11: memref<64xf8E4M3FN>, %z12: memref<64xf8E5M2>, %z13: memref<64xf8E5M2>, %z14: memref<64xf8E4M3FNUZ>, %z15: memref<64xf8E4M3FNUZ>, %z16: memref<64xf8E5M2FNUZ>, %z17: memref<64xf8E5M2FNUZ>, %z18: memref<64xf8E8M0FNU>, %z19: memref<64xf8E8M0FNU>, %z20: memref<64xf8E4M3>, %z21: memref<64xf8E4M3>, %z22: memref<64xf8E3M4>, %z23: memref<64xf8E3M4>, %z24: memref<64xf8E4M3B11FNUZ>, %z25: memref<64xf8E4M3B11FNUZ>, %z26: memref<64xf6E2M3FN>, %z27: memref<64xf6E2M3FN>, %z28: memref<64xf6E3M2FN>, %z29: memref<64xf6E3M2FN>, %z30: memref<64xf4E2M1FN>, %z31: memref<64xf4E2M1FN>, %z32: memref<64xi2>, %z33: memref<64xi2>, %z34: memref<64xi3>, %z35: memref<64xi3>, %z36: memref<64xi4>, %z37: memref<64xi4>, %z38: memref<64xi7>, %z39: memref<64xi7>, %z40: memref<64xi8>, %z41: memref<64xi8>, %z42: memref<64xi12>, %z43: memref<64xi12>, %z44: memref<64xi16>, %z45: memref<64xi16>, %z46: memref<64xi24>, %z47: memref<64xi24>, %z48: memref<64xi32>, %z49: memref<64xi32>, %z50: memref<64xi48>, %z51: memref<64xi48>, %z52: memref<64xi64>, %z53: memref<64xi64>, %z54: memref<64xindex>, %z55: memref<64xindex>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant true
  %a = vector.transfer_read %x[%c0], %p : memref<64xi1>, vector<64xi1>
  %r0 = arith.sitofp %a : vector<64xi1> to vector<64xf64>
  vector.transfer_write %r0, %z0[%c0] : vector<64xf64>, memref<64xf64>
  %r1 = arith.uitofp %a : vector<64xi1> to vector<64xf64>
  vector.transfer_write %r1, %z1[%c0] : vector<64xf64>, memref<64xf64>
  %r2 = arith.sitofp %a : vector<64xi1> to vector<64xf32>
  vector.transfer_write %r2, %z2[%c0] : vector<64xf32>, memref<64xf32>
  %r3 = arith.uitofp %a : vector<64xi1> to vector<64xf32>
  vector.transfer_write %r3, %z3[%c0] : vector<64xf32>, memref<64xf32>
  %r4 = arith.sitofp %a : vector<64xi1> to vector<64xtf32>
  vector.transfer_write %r4, %z4[%c0] : vector<64xtf32>, memref<64xtf32>
  %r5 = arith.uitofp %a : vector<64xi1> to vector<64xtf32>
  vector.transfer_write %r5, %z5[%c0] : vector<64xtf32>, memref<64xtf32>
  %r6 = arith.sitofp %a : vector<64xi1> to vector<64xf16>
  vector.transfer_write %r6, %z6[%c0] : vector<64xf16>, memref<64xf16>
  %r7 = arith.uitofp %a : vector<64xi1> to vector<64xf16>
  vector.transfer_write %r7, %z7[%c0] : vector<64xf16>, memref<64xf16>
  %r8 = arith.sitofp %a : vector<64xi1> to vector<64xbf16>
  vector.transfer_write %r8, %z8[%c0] : vector<64xbf16>, memref<64xbf16>
  %r9 = arith.uitofp %a : vector<64xi1> to vector<64xbf16>
  vector.transfer_write %r9, %z9[%c0] : vector<64xbf16>, memref<64xbf16>
  %r10 = arith.sitofp %a : vector<64xi1> to vector<64xf8E4M3FN>
  vector.transfer_write %r10, %z10[%c0] : vector<64xf8E4M3FN>, memref<64xf8E4M3FN>
  %r11 = arith.uitofp %a : vector<64xi1> to vector<64xf8E4M3FN>
  vector.transfer_write %r11, %z11[%c0] : vector<64xf8E4M3FN>, memref<64xf8E4M3FN>
  %r12 = arith.sitofp %a : vector<64xi1> to vector<64xf8E5M2>
  vector.transfer_write %r12, %z12[%c0] : vector<64xf8E5M2>, memref<64xf8E5M2>
  %r13 = arith.uitofp %a : vector<64xi1> to vector<64xf8E5M2>
  vector.transfer_write %r13, %z13[%c0] : vector<64xf8E5M2>, memref<64xf8E5M2>
  %r14 = arith.sitofp %a : vector<64xi1> to vector<64xf8E4M3FNUZ>
  vector.transfer_write %r14, %z14[%c0] : vector<64xf8E4M3FNUZ>, memref<64xf8E4M3FNUZ>
  %r15 = arith.uitofp %a : vector<64xi1> to vector<64xf8E4M3FNUZ>
  vector.transfer_write %r15, %z15[%c0] : vector<64xf8E4M3FNUZ>, memref<64xf8E4M3FNUZ>
  %r16 = arith.sitofp %a : vector<64xi1> to vector<64xf8E5M2FNUZ>
  vector.transfer_write %r16, %z16[%c0] : vector<64xf8E5M2FNUZ>, memref<64xf8E5M2FNUZ>
  %r17 = arith.uitofp %a : vector<64xi1> to vector<64xf8E5M2FNUZ>
  vector.transfer_write %r17, %z17[%c0] : vector<64xf8E5M2FNUZ>, memref<64xf8E5M2FNUZ>
  %r18 = arith.sitofp %a : vector<64xi1> to vector<64xf8E8M0FNU>
  vector.transfer_write %r18, %z18[%c0] : vector<64xf8E8M0FNU>, memref<64xf8E8M0FNU>
  %r19 = arith.uitofp %a : vector<64xi1> to vector<64xf8E8M0FNU>
  vector.transfer_write %r19, %z19[%c0] : vector<64xf8E8M0FNU>, memref<64xf8E8M0FNU>
  %r20 = arith.sitofp %a : vector<64xi1> to vector<64xf8E4M3>
  vector.transfer_write %r20, %z20[%c0] : vector<64xf8E4M3>, memref<64xf8E4M3>
  %r21 = arith.uitofp %a : vector<64xi1> to vector<64xf8E4M3>
  vector.transfer_write %r21, %z21[%c0] : vector<64xf8E4M3>, memref<64xf8E4M3>
  %r22 = arith.sitofp %a : vector<64xi1> to vector<64xf8E3M4>
  vector.transfer_write %r22, %z22[%c0] : vector<64xf8E3M4>, memref<64xf8E3M4>
  %r23 = arith.uitofp %a : vector<64xi1> to vector<64xf8E3M4>
  vector.transfer_write %r23, %z23[%c0] : vector<64xf8E3M4>, memref<64xf8E3M4>
  %r24 = arith.sitofp %a : vector<64xi1> to vector<64xf8E4M3B11FNUZ>
  vector.transfer_write %r24, %z24[%c0] : vector<64xf8E4M3B11FNUZ>, memref<64xf8E4M3B11FNUZ>
  %r25 = arith.uitofp %a : vector<64xi1> to vector<64xf8E4M3B11FNUZ>
  vector.transfer_write %r25, %z25[%c0] : vector<64xf8E4M3B11FNUZ>, memref<64xf8E4M3B11FNUZ>
  %r26 = arith.sitofp %a : vector<64xi1> to vector<64xf6E2M3FN>
  vector.transfer_write %r26, %z26[%c0] : vector<64xf6E2M3FN>, memref<64xf6E2M3FN>
  %r27 = arith.uitofp %a : vector<64xi1> to vector<64xf6E2M3FN>
  vector.transfer_write %r27, %z27[%c0] : vector<64xf6E2M3FN>, memref<64xf6E2M3FN>
  %r28 = arith.sitofp %a : vector<64xi1> to vector<64xf6E3M2FN>
  vector.transfer_write %r28, %z28[%c0] : vector<64xf6E3M2FN>, memref<64xf6E3M2FN>
  %r29 = arith.uitofp %a : vector<64xi1> to vector<64xf6E3M2FN>
  vector.transfer_write %r29, %z29[%c0] : vector<64xf6E3M2FN>, memref<64xf6E3M2FN>
  %r30 = arith.sitofp %a : vector<64xi1> to vector<64xf4E2M1FN>
  vector.transfer_write %r30, %z30[%c0] : vector<64xf4E2M1FN>, memref<64xf4E2M1FN>
  %r31 = arith.uitofp %a : vector<64xi1> to vector<64xf4E2M1FN>
  vector.transfer_write %r31, %z31[%c0] : vector<64xf4E2M1FN>, memref<64xf4E2M1FN>
  %r32 = arith.extsi %a : vector<64xi1> to vector<64xi2>
  vector.transfer_write %r32, %z32[%c0] : vector<64xi2>, memref<64xi2>
  %r33 = arith.extui %a : vector<64xi1> to vector<64xi2>
  vector.transfer_write %r33, %z33[%c0] : vector<64xi2>, memref<64xi2>
  %r34 = arith.extsi %a : vector<64xi1> to vector<64xi3>
  vector.transfer_write %r34, %z34[%c0] : vector<64xi3>, memref<64xi3>
  %r35 = arith.extui %a : vector<64xi1> to vector<64xi3>
  vector.transfer_write %r35, %z35[%c0] : vector<64xi3>, memref<64xi3>
  %r36 = arith.extsi %a : vector<64xi1> to vector<64xi4>
  vector.transfer_write %r36, %z36[%c0] : vector<64xi4>, memref<64xi4>
  %r37 = arith.extui %a : vector<64xi1> to vector<64xi4>
  vector.transfer_write %r37, %z37[%c0] : vector<64xi4>, memref<64xi4>
  %r38 = arith.extsi %a : vector<64xi1> to vector<64xi7>
  vector.transfer_write %r38, %z38[%c0] : vector<64xi7>, memref<64xi7>
  %r39 = arith.extui %a : vector<64xi1> to vector<64xi7>
  vector.transfer_write %r39, %z39[%c0] : vector<64xi7>, memref<64xi7>
  %r40 = arith.extsi %a : vector<64xi1> to vector<64xi8>
  vector.transfer_write %r40, %z40[%c0] : vector<64xi8>, memref<64xi8>
  %r41 = arith.extui %a : vector<64xi1> to vector<64xi8>
  vector.transfer_write %r41, %z41[%c0] : vector<64xi8>, memref<64xi8>
  %r42 = arith.extsi %a : vector<64xi1> to vector<64xi12>
  vector.transfer_write %r42, %z42[%c0] : vector<64xi12>, memref<64xi12>
  %r43 = arith.extui %a : vector<64xi1> to vector<64xi12>
  vector.transfer_write %r43, %z43[%c0] : vector<64xi12>, memref<64xi12>
  %r44 = arith.extsi %a : vector<64xi1> to vector<64xi16>
  vector.transfer_write %r44, %z44[%c0] : vector<64xi16>, memref<64xi16>
  %r45 = arith.extui %a : vector<64xi1> to vector<64xi16>
  vector.transfer_write %r45, %z45[%c0] : vector<64xi16>, memref<64xi16>
  %r46 = arith.extsi %a : vector<64xi1> to vector<64xi24>
  vector.transfer_write %r46, %z46[%c0] : vector<64xi24>, memref<64xi24>
  %r47 = arith.extui %a : vector<64xi1> to vector<64xi24>
  vector.transfer_write %r47, %z47[%c0] : vector<64xi24>, memref<64xi24>
  %r48 = arith.extsi %a : vector<64xi1> to vector<64xi32>
  vector.transfer_write %r48, %z48[%c0] : vector<64xi32>, memref<64xi32>
  %r49 = arith.extui %a : vector<64xi1> to vector<64xi32>
  vector.transfer_write %r49, %z49[%c0] : vector<64xi32>, memref<64xi32>
  %r50 = arith.extsi %a : vector<64xi1> to vector<64xi48>
  vector.transfer_write %r50, %z50[%c0] : vector<64xi48>, memref<64xi48>
  %r51 = arith.extui %a : vector<64xi1> to vector<64xi48>
  vector.transfer_write %r51, %z51[%c0] : vector<64xi48>, memref<64xi48>
  %r52 = arith.extsi %a : vector<64xi1> to vector<64xi64>
  vector.transfer_write %r52, %z52[%c0] : vector<64xi64>, memref<64xi64>
  %r53 = arith.extui %a : vector<64xi1> to vector<64xi64>
  vector.transfer_write %r53, %z53[%c0] : vector<64xi64>, memref<64xi64>
  %r54 = arith.index_cast %a : vector<64xi1> to vector<64xindex>
  vector.transfer_write %r54, %z54[%c0] : vector<64xindex>, memref<64xindex>
  %r55 = arith.index_castui %a : vector<64xi1> to vector<64xindex>
  vector.transfer_write %r55, %z55[%c0] : vector<64xindex>, memref<64xindex>
  gpu.return
}
// -----
// lanewise.args x = special(64), z0 = empty(64), z1 = empty(64), z2 = empty(64), z3 = empty(64), z4 = empty(64), z5 = empty(64), z6 = empty(64), z7 = empty(64), z8 = empty(64), z9 = empty(64), z10 = empty(64), z11 = empty(64), z12 = empty(64), z13 = empty(64), z14 = empty(64), z15 = empty(64), z16 = empty(64), z17 = empty(64), z18 = empty(64), z19 = empty(64), z20 = empty(64), z21 = empty(64), z22 = empty(64), z23 = empty(64)
gpu.func @casts(%x: memref<64xindex>, %z0: memref<64xi1>, %z1: memref<64xi1>, %z2: memref<64xi2>, %z3: memref<64xi2>, %z4: memref<64xi3>, %z5: memref<64xi3>, %z6: memref<64xi4>, %z7: memref<64xi4>, %z8: memref<64xi7>, %z9: memref<64xi7>, %z10: memref<64xi8>, %z11: memref<64xi8>, %z12: memref<64xi12>, %z13: memref<64xi12>, %z14: memref<64xi16>, %z15: memref<64xi16>, %z16: memref<64xi24>, %z17: memref<64xi24>, %z18: memref<64xi32>, %z19: memref<64xi32>, %z20: memref<64xi48>, %z21: memref<64xi48>, %z22: memref<64xi64>, %z23: memref<64xi64>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : index
  %a = vector.transfer_read %x[%c0], %p : memref<64xindex>, vector<64xindex>
  %r0 = arith.index_cast %a : vector<64xindex> to vector<64xi1>
  vector.transfer_write %r0, %z0[%c0] : vector<64xi1>, memref<64xi1>
  %r1 = arith.index_castui %a : vector<64xindex> to vector<64xi1>
  vector.transfer_write %r1, %z1[%c0] : vector<64xi1>, memref<64xi1>
  %r2 = arith.index_cast %a : vector<64xindex> to vector<64xi2>
  vector.transfer_write %r2, %z2[%c0] : vector<64xi2>, memref<64xi2>
  %r3 = arith.index_castui %a : vector<64xindex> to vector<64xi2>
  vector.transfer_write %r3, %z3[%c0] : vector<64xi2>, memref<64xi2>
  %r4 = arith.index_cast %a : vector<64xindex> to vector<64xi3>
  vector.transfer_write %r4, %z4[%c0] : vector<64xi3>, memref<64xi3>
  %r5 = arith.index_castui %a : vector<64xindex> to vector<64xi3>
  vector.transfer_write %r5, %z5[%c0] : vector<64xi3>, memref<64xi3>
  %r6 = arith.index_cast %a : vector<64xindex> to vector<64xi4>
  vector.transfer_write %r6, %z6[%c0] : vector<64xi4>, memref<64xi4>
  %r7 = arith.index_castui %a : vector<64xindex> to vector<64xi4>
  vector.transfer_write %r7, %z7[%c0] : vector<64xi4>, memref<64xi4>
  %r8 = arith.index_cast %a : vector<64xindex> to vector<64xi7>
  vector.transfer_write %r8, %z8[%c0] : vector<64xi7>, memref<64xi7>
  %r9 = arith.index_castui %a : vector<64xindex> to vector<64xi7>
  vector.transfer_write %r9, %z9[%c0] : vector<64xi7>, memref<64xi7>
  %r10 = arith.index_cast %a : vector<64xindex> to vector<64xi8>
  vector.transfer_write %r10, %z10[%c0] : vector<64xi8>, memref<64xi8>
  %r11 = arith.index_castui %a : vector<64xindex> to vector<64xi8>
  vector.transfer_write %r11, %z11[%c0] : vector<64xi8>, memref<64xi8>
  %r12 = arith.index_cast %a : vector<64xindex> to vector<64xi12>
  vector.transfer_write %r12, %z12[%c0] : vector<64xi12>, memref<64xi12>
  %r13 = arith.index_castui %a : vector<64xindex> to vector<64xi12>
  vector.transfer_write %r13, %z13[%c0] : vector<64xi12>, memref<64xi12>
  %r14 = arith.index_cast %a : vector<64xindex> to vector<64xi16>
  vector.transfer_write %r14, %z14[%c0] : vector<64xi16>, memref<64xi16>
  %r15 = arith.index_castui %a : vector<64xindex> to vector<64xi16>
  vector.transfer_write %r15, %z15[%c0] : vector<64xi16>, memref<64xi16>
  %r16 = arith.index_cast %a : vector<64xindex> to vector<64xi24>
  vector.transfer_write %r16, %z16[%c0] : vector<64xi24>, memref<64xi24>
  %r17 = arith.index_castui %a : vector<64xindex> to vector<64xi24>
  vector.transfer_write %r17, %z17[%c0] : vector<64xi24>, memref<64xi24>
  %r18 = arith.index_cast %a : vector<64xindex> to vector<64xi32>
  vector.transfer_write %r18, %z18[%c0] : vector<64xi32>, memref<64xi32>
  %r19 = arith.index_castui %a : vector<64xindex> to vector<64xi32>
  vector.transfer_write %r19, %z19[%c0] : vector<64xi32>, memref<64xi32>
  %r20 = arith.index_cast %a : vector<64xindex> to vector<64xi48>
  vector.transfer_write %r20, %z20[%c0] : vector<64xi48>, memref<64xi48>
  %r21 = arith.index_castui %a : vector<64xindex> to vector<64xi48>
  vector.transfer_write %r21, %z21[%c0] : vector<64xi48>, memref<64xi48>
  %r22 = arith.index_cast %a : vector<64xindex> to vector<64xi64>
  vector.transfer_write %r22, %z22[%c0] : vector<64xi64>, memref<64xi64>
  %r23 = arith.index_castui %a : vector<64xindex> to vector<64xi64>
  vector.transfer_write %r23, %z23[%c0] : vector<64xi64>, memref<64xi64>
  gpu.return
}
