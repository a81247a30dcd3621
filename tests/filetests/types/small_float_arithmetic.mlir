// Arithmetic on floats that machines have none for: in f32, then rounded once. Special values meet one another.
// test run target=sm_90 data=special
// test run target=gfx942 data=special
// lanewise.args x = normal(32), y = normal(32), z = empty(37, 32), q = empty(8, 32)
gpu.func @arithmetic(%x: memref<32xf8E5M2>, %y: memref<32xf8E5M2>, %z: memref<37x32xf8E5M2>, %q: memref<8x32xi1>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
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
  %c12 = arith.constant 12 : index
  %c13 = arith.constant 13 : index
  %c14 = arith.constant 14 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %c17 = arith.constant 17 : index
  %c18 = arith.constant 18 : index
  %c19 = arith.constant 19 : index
  %c20 = arith.constant 20 : index
  %c21 = arith.constant 21 : index
  %c22 = arith.constant 22 : index
  %c23 = arith.constant 23 : index
  %c24 = arith.constant 24 : index
  %c25 = arith.constant 25 : index
  %c26 = arith.constant 26 : index
  %c27 = arith.constant 27 : index
  %c28 = arith.constant 28 : index
  %c29 = arith.constant 29 : index
  %c30 = arith.constant 30 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %c33 = arith.constant 33 : index
  %c34 = arith.constant 34 : index
  %c35 = arith.constant 35 : index
  %c36 = arith.constant 36 : index
  %p = arith.constant 1.0 : f8E5M2
  %a = vector.transfer_read %x[%c0], %p : memref<32xf8E5M2>, vector<32xf8E5M2>
  %b = vector.transfer_read %y[%c0], %p : memref<32xf8E5M2>, vector<32xf8E5M2>
  %addf = arith.addf %a, %b : vector<32xf8E5M2>
  vector.transfer_write %addf, %z[%c0, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %subf = arith.subf %a, %b : vector<32xf8E5M2>
  vector.transfer_write %subf, %z[%c1, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %mulf = arith.mulf %a, %b : vector<32xf8E5M2>
  vector.transfer_write %mulf, %z[%c2, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %divf = arith.divf %a, %b : vector<32xf8E5M2>
  vector.transfer_write %divf, %z[%c3, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %remf = arith.remf %a, %b : vector<32xf8E5M2>
  vector.transfer_write %remf, %z[%c4, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %maximumf = arith.maximumf %a, %b : vector<32xf8E5M2>
  vector.transfer_write %maximumf, %z[%c5, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %minnumf = arith.minnumf %a, %b : vector<32xf8E5M2>
  vector.transfer_write %minnumf, %z[%c6, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %addf_toward_zero = arith.addf %a, %b toward_zero : vector<32xf8E5M2>
  vector.transfer_write %addf_toward_zero, %z[%c7, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %addf_upward = arith.addf %a, %b upward : vector<32xf8E5M2>
  vector.transfer_write %addf_upward, %z[%c8, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %addf_downward = arith.addf %a, %b downward : vector<32xf8E5M2>
  vector.transfer_write %addf_downward, %z[%c9, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %addf_to_nearest_away = arith.addf %a, %b to_nearest_away : vector<32xf8E5M2>
  vector.transfer_write %addf_to_nearest_away, %z[%c10, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %subf_toward_zero = arith.subf %a, %b toward_zero : vector<32xf8E5M2>
  vector.transfer_write %subf_toward_zero, %z[%c11, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %subf_upward = arith.subf %a, %b upward : vector<32xf8E5M2>
  vector.transfer_write %subf_upward, %z[%c12, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %subf_downward = arith.subf %a, %b downward : vector<32xf8E5M2>
  vector.transfer_write %subf_downward, %z[%c13, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %subf_to_nearest_away = arith.subf %a, %b to_nearest_away : vector<32xf8E5M2>
  vector.transfer_write %subf_to_nearest_away, %z[%c14, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %mulf_toward_zero = arith.mulf %a, %b toward_zero : vector<32xf8E5M2>
  vector.transfer_write %mulf_toward_zero, %z[%c15, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %mulf_upward = arith.mulf %a, %b upward : vector<32xf8E5M2>
  vector.transfer_write %mulf_upward, %z[%c16, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %mulf_downward = arith.mulf %a, %b downward : vector<32xf8E5M2>
  vector.transfer_write %mulf_downward, %z[%c17, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %mulf_to_nearest_away = arith.mulf %a, %b to_nearest_away : vector<32xf8E5M2>
  vector.transfer_write %mulf_to_nearest_away, %z[%c18, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %divf_toward_zero = arith.divf %a, %b toward_zero : vector<32xf8E5M2>
  vector.transfer_write %divf_toward_zero, %z[%c19, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %divf_upward = arith.divf %a, %b upward : vector<32xf8E5M2>
  vector.transfer_write %divf_upward, %z[%c20, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %divf_downward = arith.divf %a, %b downward : vector<32xf8E5M2>
  vector.transfer_write %divf_downward, %z[%c21, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %divf_to_nearest_away = arith.divf %a, %b to_nearest_away : vector<32xf8E5M2>
  vector.transfer_write %divf_to_nearest_away, %z[%c22, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %copysign = math.copysign %a, %b : vector<32xf8E5M2>
  vector.transfer_write %copysign, %z[%c23, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %negf = arith.negf %a : vector<32xf8E5M2>
  vector.transfer_write %negf, %z[%c24, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %fl = arith.flush_denormals %a : vector<32xf8E5M2>
  vector.transfer_write %fl, %z[%c25, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %absf = math.absf %a : vector<32xf8E5M2>
  vector.transfer_write %absf, %z[%c26, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %sqrt = math.sqrt %a : vector<32xf8E5M2>
  vector.transfer_write %sqrt, %z[%c27, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %exp2 = math.exp2 %a : vector<32xf8E5M2>
  vector.transfer_write %exp2, %z[%c28, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %floor = math.floor %a : vector<32xf8E5M2>
  vector.transfer_write %floor, %z[%c29, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %rsqrt = math.rsqrt %a : vector<32xf8E5M2>
  vector.transfer_write %rsqrt, %z[%c30, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %fma = math.fma %a, %b, %a : vector<32xf8E5M2>
  vector.transfer_write %fma, %z[%c31, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %vfma = vector.fma %a, %a, %b : vector<32xf8E5M2>
  vector.transfer_write %vfma, %z[%c32, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %cl = math.clampf %a to [%b, %fma] : vector<32xf8E5M2>
  vector.transfer_write %cl, %z[%c33, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %s, %c = math.sincos %a : vector<32xf8E5M2>
  vector.transfer_write %s, %z[%c34, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  vector.transfer_write %c, %z[%c35, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %e = arith.constant dense<3> : vector<32xi32>
  %pw = math.fpowi %a, %e : vector<32xf8E5M2>, vector<32xi32>
  vector.transfer_write %pw, %z[%c36, %c0] : vector<32xf8E5M2>, memref<37x32xf8E5M2>
  %isfinite = math.isfinite %a : vector<32xf8E5M2>
  vector.transfer_write %isfinite, %q[%c0, %c0] : vector<32xi1>, memref<8x32xi1>
  %isinf = math.isinf %a : vector<32xf8E5M2>
  vector.transfer_write %isinf, %q[%c1, %c0] : vector<32xi1>, memref<8x32xi1>
  %isnan = math.isnan %a : vector<32xf8E5M2>
  vector.transfer_write %isnan, %q[%c2, %c0] : vector<32xi1>, memref<8x32xi1>
  %isnormal = math.isnormal %a : vector<32xf8E5M2>
  vector.transfer_write %isnormal, %q[%c3, %c0] : vector<32xi1>, memref<8x32xi1>
  %poeq = arith.cmpf oeq, %a, %b : vector<32xf8E5M2>
  vector.transfer_write %poeq, %q[%c4, %c0] : vector<32xi1>, memref<8x32xi1>
  %pogt = arith.cmpf ogt, %a, %b : vector<32xf8E5M2>
  vector.transfer_write %pogt, %q[%c5, %c0] : vector<32xi1>, memref<8x32xi1>
  %pule = arith.cmpf ule, %a, %b : vector<32xf8E5M2>
  vector.transfer_write %pule, %q[%c6, %c0] : vector<32xi1>, memref<8x32xi1>
  %puno = arith.cmpf uno, %a, %b : vector<32xf8E5M2>
  vector.transfer_write %puno, %q[%c7, %c0] : vector<32xi1>, memref<8x32xi1>
  gpu.return
}
// -----
// lanewise.args x = normal(32), y = normal(32), z = empty(37, 32), q = empty(8, 32)
gpu.func @arithmetic(%x: memref<32xf8E4M3FNUZ>, %y: memref<32xf8E4M3FNUZ>, %z: memref<37x32xf8E4M3FNUZ>, %q: memref<8x32xi1>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
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
  %c12 = arith.constant 12 : index
  %c13 = arith.constant 13 : index
  %c14 = arith.constant 14 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %c17 = arith.constant 17 : index
  %c18 = arith.constant 18 : index
  %c19 = arith.constant 19 : index
  %c20 = arith.constant 20 : index
  %c21 = arith.constant 21 : index
  %c22 = arith.constant 22 : index
  %c23 = arith.constant 23 : index
  %c24 = arith.constant 24 : index
  %c25 = arith.constant 25 : index
  %c26 = arith.constant 26 : index
  %c27 = arith.constant 27 : index
  %c28 = arith.constant 28 : index
  %c29 = arith.constant 29 : index
  %c30 = arith.constant 30 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %c33 = arith.constant 33 : index
  %c34 = arith.constant 34 : index
  %c35 = arith.constant 35 : index
  %c36 = arith.constant 36 : index
  %p = arith.constant 1.0 : f8E4M3FNUZ
  %a = vector.transfer_read %x[%c0], %p : memref<32xf8E4M3FNUZ>, vector<32xf8E4M3FNUZ>
  %b = vector.transfer_read %y[%c0], %p : memref<32xf8E4M3FNUZ>, vector<32xf8E4M3FNUZ>
  %addf = arith.addf %a, %b : vector<32xf8E4M3FNUZ>
  vector.transfer_write %addf, %z[%c0, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %subf = arith.subf %a, %b : vector<32xf8E4M3FNUZ>
  vector.transfer_write %subf, %z[%c1, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %mulf = arith.mulf %a, %b : vector<32xf8E4M3FNUZ>
  vector.transfer_write %mulf, %z[%c2, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %divf = arith.divf %a, %b : vector<32xf8E4M3FNUZ>
  vector.transfer_write %divf, %z[%c3, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %remf = arith.remf %a, %b : vector<32xf8E4M3FNUZ>
  vector.transfer_write %remf, %z[%c4, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %maximumf = arith.maximumf %a, %b : vector<32xf8E4M3FNUZ>
  vector.transfer_write %maximumf, %z[%c5, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %minnumf = arith.minnumf %a, %b : vector<32xf8E4M3FNUZ>
  vector.transfer_write %minnumf, %z[%c6, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %addf_toward_zero = arith.addf %a, %b toward_zero : vector<32xf8E4M3FNUZ>
  vector.transfer_write %addf_toward_zero, %z[%c7, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %addf_upward = arith.addf %a, %b upward : vector<32xf8E4M3FNUZ>
  vector.transfer_write %addf_upward, %z[%c8, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %addf_downward = arith.addf %a, %b downward : vector<32xf8E4M3FNUZ>
  vector.transfer_write %addf_downward, %z[%c9, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %addf_to_nearest_away = arith.addf %a, %b to_nearest_away : vector<32xf8E4M3FNUZ>
  vector.transfer_write %addf_to_nearest_away, %z[%c10, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %subf_toward_zero = arith.subf %a, %b toward_zero : vector<32xf8E4M3FNUZ>
  vector.transfer_write %subf_toward_zero, %z[%c11, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %subf_upward = arith.subf %a, %b upward : vector<32xf8E4M3FNUZ>
  vector.transfer_write %subf_upward, %z[%c12, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %subf_downward = arith.subf %a, %b downward : vector<32xf8E4M3FNUZ>
  vector.transfer_write %subf_downward, %z[%c13, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %subf_to_nearest_away = arith.subf %a, %b to_nearest_away : vector<32xf8E4M3FNUZ>
  vector.transfer_write %subf_to_nearest_away, %z[%c14, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %mulf_toward_zero = arith.mulf %a, %b toward_zero : vector<32xf8E4M3FNUZ>
  vector.transfer_write %mulf_toward_zero, %z[%c15, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %mulf_upward = arith.mulf %a, %b upward : vector<32xf8E4M3FNUZ>
  vector.transfer_write %mulf_upward, %z[%c16, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %mulf_downward = arith.mulf %a, %b downward : vector<32xf8E4M3FNUZ>
  vector.transfer_write %mulf_downward, %z[%c17, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %mulf_to_nearest_away = arith.mulf %a, %b to_nearest_away : vector<32xf8E4M3FNUZ>
  vector.transfer_write %mulf_to_nearest_away, %z[%c18, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %divf_toward_zero = arith.divf %a, %b toward_zero : vector<32xf8E4M3FNUZ>
  vector.transfer_write %divf_toward_zero, %z[%c19, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %divf_upward = arith.divf %a, %b upward : vector<32xf8E4M3FNUZ>
  vector.transfer_write %divf_upward, %z[%c20, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %divf_downward = arith.divf %a, %b downward : vector<32xf8E4M3FNUZ>
  vector.transfer_write %divf_downward, %z[%c21, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %divf_to_nearest_away = arith.divf %a, %b to_nearest_away : vector<32xf8E4M3FNUZ>
  vector.transfer_write %divf_to_nearest_away, %z[%c22, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %copysign = math.copysign %a, %b : vector<32xf8E4M3FNUZ>
  vector.transfer_write %copysign, %z[%c23, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %negf = arith.negf %a : vector<32xf8E4M3FNUZ>
  vector.transfer_write %negf, %z[%c24, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %fl = arith.flush_denormals %a : vector<32xf8E4M3FNUZ>
  vector.transfer_write %fl, %z[%c25, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %absf = math.absf %a : vector<32xf8E4M3FNUZ>
  vector.transfer_write %absf, %z[%c26, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %sqrt = math.sqrt %a : vector<32xf8E4M3FNUZ>
  vector.transfer_write %sqrt, %z[%c27, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %exp2 = math.exp2 %a : vector<32xf8E4M3FNUZ>
  vector.transfer_write %exp2, %z[%c28, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %floor = math.floor %a : vector<32xf8E4M3FNUZ>
  vector.transfer_write %floor, %z[%c29, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %rsqrt = math.rsqrt %a : vector<32xf8E4M3FNUZ>
  vector.transfer_write %rsqrt, %z[%c30, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %fma = math.fma %a, %b, %a : vector<32xf8E4M3FNUZ>
  vector.transfer_write %fma, %z[%c31, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %vfma = vector.fma %a, %a, %b : vector<32xf8E4M3FNUZ>
  vector.transfer_write %vfma, %z[%c32, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %cl = math.clampf %a to [%b, %fma] : vector<32xf8E4M3FNUZ>
  vector.transfer_write %cl, %z[%c33, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %s, %c = math.sincos %a : vector<32xf8E4M3FNUZ>
  vector.transfer_write %s, %z[%c34, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  vector.transfer_write %c, %z[%c35, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %e = arith.constant dense<3> : vector<32xi32>
  %pw = math.fpowi %a, %e : vector<32xf8E4M3FNUZ>, vector<32xi32>
  vector.transfer_write %pw, %z[%c36, %c0] : vector<32xf8E4M3FNUZ>, memref<37x32xf8E4M3FNUZ>
  %isfinite = math.isfinite %a : vector<32xf8E4M3FNUZ>
  vector.transfer_write %isfinite, %q[%c0, %c0] : vector<32xi1>, memref<8x32xi1>
  %isinf = math.isinf %a : vector<32xf8E4M3FNUZ>
  vector.transfer_write %isinf, %q[%c1, %c0] : vector<32xi1>, memref<8x32xi1>
  %isnan = math.isnan %a : vector<32xf8E4M3FNUZ>
  vector.transfer_write %isnan, %q[%c2, %c0] : vector<32xi1>, memref<8x32xi1>
  %isnormal = math.isnormal %a : vector<32xf8E4M3FNUZ>
  vector.transfer_write %isnormal, %q[%c3, %c0] : vector<32xi1>, memref<8x32xi1>
  %poeq = arith.cmpf oeq, %a, %b : vector<32xf8E4M3FNUZ>
  vector.transfer_write %poeq, %q[%c4, %c0] : vector<32xi1>, memref<8x32xi1>
  %pogt = arith.cmpf ogt, %a, %b : vector<32xf8E4M3FNUZ>
  vector.transfer_write %pogt, %q[%c5, %c0] : vector<32xi1>, memref<8x32xi1>
  %pule = arith.cmpf ule, %a, %b : vector<32xf8E4M3FNUZ>
  vector.transfer_write %pule, %q[%c6, %c0] : vector<32xi1>, memref<8x32xi1>
  %puno = arith.cmpf uno, %a, %b : vector<32xf8E4M3FNUZ>
  vector.transfer_write %puno, %q[%c7, %c0] : vector<32xi1>, memref<8x32xi1>
  gpu.return
}
// -----
// lanewise.args x = normal(32), y = normal(32), z = empty(21, 32), q = empty(8, 32)
gpu.func @arithmetic(%x: memref<32xf8E8M0FNU>, %y: memref<32xf8E8M0FNU>, %z: memref<21x32xf8E8M0FNU>, %q: memref<8x32xi1>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
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
  %c12 = arith.constant 12 : index
  %c13 = arith.constant 13 : index
  %c14 = arith.constant 14 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %c17 = arith.constant 17 : index
  %c18 = arith.constant 18 : index
  %c19 = arith.constant 19 : index
  %c20 = arith.constant 20 : index
  %p = arith.constant 1.0 : f8E8M0FNU
  %a = vector.transfer_read %x[%c0], %p : memref<32xf8E8M0FNU>, vector<32xf8E8M0FNU>
  %b = vector.transfer_read %y[%c0], %p : memref<32xf8E8M0FNU>, vector<32xf8E8M0FNU>
  %addf = arith.addf %a, %b : vector<32xf8E8M0FNU>
  vector.transfer_write %addf, %z[%c0, %c0] : vector<32xf8E8M0FNU>, memref<21x32xf8E8M0FNU>
  %subf = arith.subf %a, %b : vector<32xf8E8M0FNU>
  vector.transfer_write %subf, %z[%c1, %c0] : vector<32xf8E8M0FNU>, memref<21x32xf8E8M0FNU>
  %mulf = arith.mulf %a, %b : vector<32xf8E8M0FNU>
  vector.transfer_write %mulf, %z[%c2, %c0] : vector<32xf8E8M0FNU>, memref<21x32xf8E8M0FNU>
  %divf = arith.divf %a, %b : vector<32xf8E8M0FNU>
  vector.transfer_write %divf, %z[%c3, %c0] : vector<32xf8E8M0FNU>, memref<21x32xf8E8M0FNU>
  %remf = arith.remf %a, %b : vector<32xf8E8M0FNU>
  vector.transfer_write %remf, %z[%c4, %c0] : vector<32xf8E8M0FNU>, memref<21x32xf8E8M0FNU>
  %maximumf = arith.maximumf %a, %b : vector<32xf8E8M0FNU>
  vector.transfer_write %maximumf, %z[%c5, %c0] : vector<32xf8E8M0FNU>, memref<21x32xf8E8M0FNU>
  %minnumf = arith.minnumf %a, %b : vector<32xf8E8M0FNU>
  vector.transfer_write %minnumf, %z[%c6, %c0] : vector<32xf8E8M0FNU>, memref<21x32xf8E8M0FNU>
  %copysign = math.copysign %a, %b : vector<32xf8E8M0FNU>
  vector.transfer_write %copysign, %z[%c7, %c0] : vector<32xf8E8M0FNU>, memref<21x32xf8E8M0FNU>
  %negf = arith.negf %a : vector<32xf8E8M0FNU>
  vector.transfer_write %negf, %z[%c8, %c0] : vector<32xf8E8M0FNU>, memref<21x32xf8E8M0FNU>
  %fl = arith.flush_denormals %a : vector<32xf8E8M0FNU>
  vector.transfer_write %fl, %z[%c9, %c0] : vector<32xf8E8M0FNU>, memref<21x32xf8E8M0FNU>
  %absf = math.absf %a : vector<32xf8E8M0FNU>
  vector.transfer_write %absf, %z[%c10, %c0] : vector<32xf8E8M0FNU>, memref<21x32xf8E8M0FNU>
  %sqrt = math.sqrt %a : vector<32xf8E8M0FNU>
  vector.transfer_write %sqrt, %z[%c11, %c0] : vector<32xf8E8M0FNU>, memref<21x32xf8E8M0FNU>
  %exp2 = math.exp2 %a : vector<32xf8E8M0FNU>
  vector.transfer_write %exp2, %z[%c12, %c0] : vector<32xf8E8M0FNU>, memref<21x32xf8E8M0FNU>
  %floor = math.floor %a : vector<32xf8E8M0FNU>
  vector.transfer_write %floor, %z[%c13, %c0] : vector<32xf8E8M0FNU>, memref<21x32xf8E8M0FNU>
  %rsqrt = math.rsqrt %a : vector<32xf8E8M0FNU>
  vector.transfer_write %rsqrt, %z[%c14, %c0] : vector<32xf8E8M0FNU>, memref<21x32xf8E8M0FNU>
  %fma = math.fma %a, %b, %a : vector<32xf8E8M0FNU>
  vector.transfer_write %fma, %z[%c15, %c0] : vector<32xf8E8M0FNU>, memref<21x32xf8E8M0FNU>
  %vfma = vector.fma %a, %a, %b : vector<32xf8E8M0FNU>
  vector.transfer_write %vfma, %z[%c16, %c0] : vector<32xf8E8M0FNU>, memref<21x32xf8E8M0FNU>
  %cl = math.clampf %a to [%b, %fma] : vector<32xf8E8M0FNU>
  vector.transfer_write %cl, %z[%c17, %c0] : vector<32xf8E8M0FNU>, memref<21x32xf8E8M0FNU>
  %s, %c = math.sincos %a : vector<32xf8E8M0FNU>
  vector.transfer_write %s, %z[%c18, %c0] : vector<32xf8E8M0FNU>, memref<21x32xf8E8M0FNU>
  vector.transfer_write %c, %z[%c19, %c0] : vector<32xf8E8M0FNU>, memref<21x32xf8E8M0FNU>
  %e = arith.constant dense<3> : vector<32xi32>
  %pw = math.fpowi %a, %e : vector<32xf8E8M0FNU>, vector<32xi32>
  vector.transfer_write %pw, %z[%c20, %c0] : vector<32xf8E8M0FNU>, memref<21x32xf8E8M0FNU>
  %isfinite = math.isfinite %a : vector<32xf8E8M0FNU>
  vector.transfer_write %isfinite, %q[%c0, %c0] : vector<32xi1>, memref<8x32xi1>
  %isinf = math.isinf %a : vector<32xf8E8M0FNU>
  vector.transfer_write %isinf, %q[%c1, %c0] : vector<32xi1>, memref<8x32xi1>
  %isnan = math.isnan %a : vector<32xf8E8M0FNU>
  vector.transfer_write %isnan, %q[%c2, %c0] : vector<32xi1>, memref<8x32xi1>
  %isnormal = math.isnormal %a : vector<32xf8E8M0FNU>
  vector.transfer_write %isnormal, %q[%c3, %c0] : vector<32xi1>, memref<8x32xi1>
  %poeq = arith.cmpf oeq, %a, %b : vector<32xf8E8M0FNU>
  vector.transfer_write %poeq, %q[%c4, %c0] : vector<32xi1>, memref<8x32xi1>
  %pogt = arith.cmpf ogt, %a, %b : vector<32xf8E8M0FNU>
  vector.transfer_write %pogt, %q[%c5, %c0] : vector<32xi1>, memref<8x32xi1>
  %pule = arith.cmpf ule, %a, %b : vector<32xf8E8M0FNU>
  vector.transfer_write %pule, %q[%c6, %c0] : vector<32xi1>, memref<8x32xi1>
  %puno = arith.cmpf uno, %a, %b : vector<32xf8E8M0FNU>
  vector.transfer_write %puno, %q[%c7, %c0] : vector<32xi1>, memref<8x32xi1>
  gpu.return
}
// -----
// lanewise.args x = normal(32), y = normal(32), z = empty(37, 32), q = empty(8, 32)
gpu.func @arithmetic(%x: memref<32xf4E2M1FN>, %y: memref<32xf4E2M1FN>, %z: memref<37x32xf4E2M1FN>, %q: memref<8x32xi1>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
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
  %c12 = arith.constant 12 : index
  %c13 = arith.constant 13 : index
  %c14 = arith.constant 14 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %c17 = arith.constant 17 : index
  %c18 = arith.constant 18 : index
  %c19 = arith.constant 19 : index
  %c20 = arith.constant 20 : index
  %c21 = arith.constant 21 : index
  %c22 = arith.constant 22 : index
  %c23 = arith.constant 23 : index
  %c24 = arith.constant 24 : index
  %c25 = arith.constant 25 : index
  %c26 = arith.constant 26 : index
  %c27 = arith.constant 27 : index
  %c28 = arith.constant 28 : index
  %c29 = arith.constant 29 : index
  %c30 = arith.constant 30 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %c33 = arith.constant 33 : index
  %c34 = arith.constant 34 : index
  %c35 = arith.constant 35 : index
  %c36 = arith.constant 36 : index
  %p = arith.constant 1.0 : f4E2M1FN
  %a = vector.transfer_read %x[%c0], %p : memref<32xf4E2M1FN>, vector<32xf4E2M1FN>
  %b = vector.transfer_read %y[%c0], %p : memref<32xf4E2M1FN>, vector<32xf4E2M1FN>
  %addf = arith.addf %a, %b : vector<32xf4E2M1FN>
  vector.transfer_write %addf, %z[%c0, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %subf = arith.subf %a, %b : vector<32xf4E2M1FN>
  vector.transfer_write %subf, %z[%c1, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %mulf = arith.mulf %a, %b : vector<32xf4E2M1FN>
  vector.transfer_write %mulf, %z[%c2, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %divf = arith.divf %a, %b : vector<32xf4E2M1FN>
  vector.transfer_write %divf, %z[%c3, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %remf = arith.remf %a, %b : vector<32xf4E2M1FN>
  vector.transfer_write %remf, %z[%c4, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %maximumf = arith.maximumf %a, %b : vector<32xf4E2M1FN>
  vector.transfer_write %maximumf, %z[%c5, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %minnumf = arith.minnumf %a, %b : vector<32xf4E2M1FN>
  vector.transfer_write %minnumf, %z[%c6, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %addf_toward_zero = arith.addf %a, %b toward_zero : vector<32xf4E2M1FN>
  vector.transfer_write %addf_toward_zero, %z[%c7, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %addf_upward = arith.addf %a, %b upward : vector<32xf4E2M1FN>
  vector.transfer_write %addf_upward, %z[%c8, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %addf_downward = arith.addf %a, %b downward : vector<32xf4E2M1FN>
  vector.transfer_write %addf_downward, %z[%c9, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %addf_to_nearest_away = arith.addf %a, %b to_nearest_away : vector<32xf4E2M1FN>
  vector.transfer_write %addf_to_nearest_away, %z[%c10, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %subf_toward_zero = arith.subf %a, %b toward_zero : vector<32xf4E2M1FN>
  vector.transfer_write %subf_toward_zero, %z[%c11, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %subf_upward = arith.subf %a, %b upward : vector<32xf4E2M1FN>
  vector.transfer_write %subf_upward, %z[%c12, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %subf_downward = arith.subf %a, %b downward : vector<32xf4E2M1FN>
  vector.transfer_write %subf_downward, %z[%c13, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %subf_to_nearest_away = arith.subf %a, %b to_nearest_away : vector<32xf4E2M1FN>
  vector.transfer_write %subf_to_nearest_away, %z[%c14, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %mulf_toward_zero = arith.mulf %a, %b toward_zero : vector<32xf4E2M1FN>
  vector.transfer_write %mulf_toward_zero, %z[%c15, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %mulf_upward = arith.mulf %a, %b upward : vector<32xf4E2M1FN>
  vector.transfer_write %mulf_upward, %z[%c16, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %mulf_downward = arith.mulf %a, %b downward : vector<32xf4E2M1FN>
  vector.transfer_write %mulf_downward, %z[%c17, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %mulf_to_nearest_away = arith.mulf %a, %b to_nearest_away : vector<32xf4E2M1FN>
  vector.transfer_write %mulf_to_nearest_away, %z[%c18, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %divf_toward_zero = arith.divf %a, %b toward_zero : vector<32xf4E2M1FN>
  vector.transfer_write %divf_toward_zero, %z[%c19, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %divf_upward = arith.divf %a, %b upward : vector<32xf4E2M1FN>
  vector.transfer_write %divf_upward, %z[%c20, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %divf_downward = arith.divf %a, %b downward : vector<32xf4E2M1FN>
  vector.transfer_write %divf_downward, %z[%c21, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %divf_to_nearest_away = arith.divf %a, %b to_nearest_away : vector<32xf4E2M1FN>
  vector.transfer_write %divf_to_nearest_away, %z[%c22, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %copysign = math.copysign %a, %b : vector<32xf4E2M1FN>
  vector.transfer_write %copysign, %z[%c23, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %negf = arith.negf %a : vector<32xf4E2M1FN>
  vector.transfer_write %negf, %z[%c24, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %fl = arith.flush_denormals %a : vector<32xf4E2M1FN>
  vector.transfer_write %fl, %z[%c25, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %absf = math.absf %a : vector<32xf4E2M1FN>
  vector.transfer_write %absf, %z[%c26, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %sqrt = math.sqrt %a : vector<32xf4E2M1FN>
  vector.transfer_write %sqrt, %z[%c27, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %exp2 = math.exp2 %a : vector<32xf4E2M1FN>
  vector.transfer_write %exp2, %z[%c28, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %floor = math.floor %a : vector<32xf4E2M1FN>
  vector.transfer_write %floor, %z[%c29, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %rsqrt = math.rsqrt %a : vector<32xf4E2M1FN>
  vector.transfer_write %rsqrt, %z[%c30, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %fma = math.fma %a, %b, %a : vector<32xf4E2M1FN>
  vector.transfer_write %fma, %z[%c31, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %vfma = vector.fma %a, %a, %b : vector<32xf4E2M1FN>
  vector.transfer_write %vfma, %z[%c32, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %cl = math.clampf %a to [%b, %fma] : vector<32xf4E2M1FN>
  vector.transfer_write %cl, %z[%c33, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %s, %c = math.sincos %a : vector<32xf4E2M1FN>
  vector.transfer_write %s, %z[%c34, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  vector.transfer_write %c, %z[%c35, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %e = arith.constant dense<3> : vector<32xi32>
  %pw = math.fpowi %a, %e : vector<32xf4E2M1FN>, vector<32xi32>
  vector.transfer_write %pw, %z[%c36, %c0] : vector<32xf4E2M1FN>, memref<37x32xf4E2M1FN>
  %isfinite = math.isfinite %a : vector<32xf4E2M1FN>
  vector.transfer_write %isfinite, %q[%c0, %c0] : vector<32xi1>, memref<8x32xi1>
  %isinf = math.isinf %a : vector<32xf4E2M1FN>
  vector.transfer_write %isinf, %q[%c1, %c0] : vector<32xi1>, memref<8x32xi1>
  %isnan = math.isnan %a : vector<32xf4E2M1FN>
  vector.transfer_write %isnan, %q[%c2, %c0] : vector<32xi1>, memref<8x32xi1>
  %isnormal = math.isnormal %a : vector<32xf4E2M1FN>
  vector.transfer_write %isnormal, %q[%c3, %c0] : vector<32xi1>, memref<8x32xi1>
  %poeq = arith.cmpf oeq, %a, %b : vector<32xf4E2M1FN>
  vector.transfer_write %poeq, %q[%c4, %c0] : vector<32xi1>, memref<8x32xi1>
  %pogt = arith.cmpf ogt, %a, %b : vector<32xf4E2M1FN>
  vector.transfer_write %pogt, %q[%c5, %c0] : vector<32xi1>, memref<8x32xi1>
  %pule = arith.cmpf ule, %a, %b : vector<32xf4E2M1FN>
  vector.transfer_write %pule, %q[%c6, %c0] : vector<32xi1>, memref<8x32xi1>
  %puno = arith.cmpf uno, %a, %b : vector<32xf4E2M1FN>
  vector.transfer_write %puno, %q[%c7, %c0] : vector<32xi1>, memref<8x32xi1>
  gpu.return
}
// -----
// Atomic updates: of a byte in its word, the old and the new element by way of f32. 32 threads add 1/4 to each of 8.
// lanewise.args x = zeros(8)
gpu.func @counts(%x: memref<8xf8E4M3FN>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %one = arith.constant 0.25 : f8E4M3FN
  %eight = arith.constant 8 : index
  %t = gpu.thread_id x
  %i = arith.remui %t, %eight : index
  %0 = memref.atomic_rmw addf %one, %x[%i] : (f8E4M3FN, memref<8xf8E4M3FN>) -> f8E4M3FN
  gpu.return
}
