// Arithmetic on integers shorter than a register, and on index; a quotient by 0 is undefined, its neighbours are not.
// test run target=sm_90
// test run target=gfx942
// lanewise.args x = special(32), y = special(32), z = empty(32, 32), q = empty(12, 32)
gpu.func @arithmetic(%x: memref<32xi1>, %y: memref<32xi1>, %z: memref<32x32xi1>, %q: memref<12x32xi1>) kernel
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
  %p = arith.constant true
  %a = vector.transfer_read %x[%c0], %p : memref<32xi1>, vector<32xi1>
  %b = vector.transfer_read %y[%c0], %p : memref<32xi1>, vector<32xi1>
  %addi = arith.addi %a, %b : vector<32xi1>
  vector.transfer_write %addi, %z[%c0, %c0] : vector<32xi1>, memref<32x32xi1>
  %subi = arith.subi %a, %b : vector<32xi1>
  vector.transfer_write %subi, %z[%c1, %c0] : vector<32xi1>, memref<32x32xi1>
  %muli = arith.muli %a, %b : vector<32xi1>
  vector.transfer_write %muli, %z[%c2, %c0] : vector<32xi1>, memref<32x32xi1>
  %divsi = arith.divsi %a, %b : vector<32xi1>
  vector.transfer_write %divsi, %z[%c3, %c0] : vector<32xi1>, memref<32x32xi1>
  %divui = arith.divui %a, %b : vector<32xi1>
  vector.transfer_write %divui, %z[%c4, %c0] : vector<32xi1>, memref<32x32xi1>
  %remsi = arith.remsi %a, %b : vector<32xi1>
  vector.transfer_write %remsi, %z[%c5, %c0] : vector<32xi1>, memref<32x32xi1>
  %remui = arith.remui %a, %b : vector<32xi1>
  vector.transfer_write %remui, %z[%c6, %c0] : vector<32xi1>, memref<32x32xi1>
  %floordivsi = arith.floordivsi %a, %b : vector<32xi1>
  vector.transfer_write %floordivsi, %z[%c7, %c0] : vector<32xi1>, memref<32x32xi1>
  %ceildivsi = arith.ceildivsi %a, %b : vector<32xi1>
  vector.transfer_write %ceildivsi, %z[%c8, %c0] : vector<32xi1>, memref<32x32xi1>
  %ceildivui = arith.ceildivui %a, %b : vector<32xi1>
  vector.transfer_write %ceildivui, %z[%c9, %c0] : vector<32xi1>, memref<32x32xi1>
  %andi = arith.andi %a, %b : vector<32xi1>
  vector.transfer_write %andi, %z[%c10, %c0] : vector<32xi1>, memref<32x32xi1>
  %ori = arith.ori %a, %b : vector<32xi1>
  vector.transfer_write %ori, %z[%c11, %c0] : vector<32xi1>, memref<32x32xi1>
  %xori = arith.xori %a, %b : vector<32xi1>
  vector.transfer_write %xori, %z[%c12, %c0] : vector<32xi1>, memref<32x32xi1>
  %shli = arith.shli %a, %b : vector<32xi1>
  vector.transfer_write %shli, %z[%c13, %c0] : vector<32xi1>, memref<32x32xi1>
  %shrsi = arith.shrsi %a, %b : vector<32xi1>
  vector.transfer_write %shrsi, %z[%c14, %c0] : vector<32xi1>, memref<32x32xi1>
  %shrui = arith.shrui %a, %b : vector<32xi1>
  vector.transfer_write %shrui, %z[%c15, %c0] : vector<32xi1>, memref<32x32xi1>
  %maxsi = arith.maxsi %a, %b : vector<32xi1>
  vector.transfer_write %maxsi, %z[%c16, %c0] : vector<32xi1>, memref<32x32xi1>
  %maxui = arith.maxui %a, %b : vector<32xi1>
  vector.transfer_write %maxui, %z[%c17, %c0] : vector<32xi1>, memref<32x32xi1>
  %minsi = arith.minsi %a, %b : vector<32xi1>
  vector.transfer_write %minsi, %z[%c18, %c0] : vector<32xi1>, memref<32x32xi1>
  %minui = arith.minui %a, %b : vector<32xi1>
  vector.transfer_write %minui, %z[%c19, %c0] : vector<32xi1>, memref<32x32xi1>
  %eq = arith.cmpi eq, %a, %b : vector<32xi1>
  vector.transfer_write %eq, %q[%c0, %c0] : vector<32xi1>, memref<12x32xi1>
  %ne = arith.cmpi ne, %a, %b : vector<32xi1>
  vector.transfer_write %ne, %q[%c1, %c0] : vector<32xi1>, memref<12x32xi1>
  %slt = arith.cmpi slt, %a, %b : vector<32xi1>
  vector.transfer_write %slt, %q[%c2, %c0] : vector<32xi1>, memref<12x32xi1>
  %sle = arith.cmpi sle, %a, %b : vector<32xi1>
  vector.transfer_write %sle, %q[%c3, %c0] : vector<32xi1>, memref<12x32xi1>
  %sgt = arith.cmpi sgt, %a, %b : vector<32xi1>
  vector.transfer_write %sgt, %q[%c4, %c0] : vector<32xi1>, memref<12x32xi1>
  %sge = arith.cmpi sge, %a, %b : vector<32xi1>
  vector.transfer_write %sge, %q[%c5, %c0] : vector<32xi1>, memref<12x32xi1>
  %ult = arith.cmpi ult, %a, %b : vector<32xi1>
  vector.transfer_write %ult, %q[%c6, %c0] : vector<32xi1>, memref<12x32xi1>
  %ule = arith.cmpi ule, %a, %b : vector<32xi1>
  vector.transfer_write %ule, %q[%c7, %c0] : vector<32xi1>, memref<12x32xi1>
  %ugt = arith.cmpi ugt, %a, %b : vector<32xi1>
  vector.transfer_write %ugt, %q[%c8, %c0] : vector<32xi1>, memref<12x32xi1>
  %uge = arith.cmpi uge, %a, %b : vector<32xi1>
  vector.transfer_write %uge, %q[%c9, %c0] : vector<32xi1>, memref<12x32xi1>
  %l1, %h1 = arith.mulsi_extended %a, %b : vector<32xi1>
  vector.transfer_write %l1, %z[%c20, %c0] : vector<32xi1>, memref<32x32xi1>
  vector.transfer_write %h1, %z[%c21, %c0] : vector<32xi1>, memref<32x32xi1>
  %l2, %h2 = arith.mului_extended %a, %b : vector<32xi1>
  vector.transfer_write %l2, %z[%c22, %c0] : vector<32xi1>, memref<32x32xi1>
  vector.transfer_write %h2, %z[%c23, %c0] : vector<32xi1>, memref<32x32xi1>
  %s1, %o1 = arith.addui_extended %a, %b : vector<32xi1>, vector<32xi1>
  vector.transfer_write %s1, %z[%c24, %c0] : vector<32xi1>, memref<32x32xi1>
  vector.transfer_write %o1, %q[%c10, %c0] : vector<32xi1>, memref<12x32xi1>
  %s2, %o2 = arith.subui_extended %a, %b : vector<32xi1>, vector<32xi1>
  vector.transfer_write %s2, %z[%c25, %c0] : vector<32xi1>, memref<32x32xi1>
  vector.transfer_write %o2, %q[%c11, %c0] : vector<32xi1>, memref<12x32xi1>
  %absi = math.absi %a : vector<32xi1>
  vector.transfer_write %absi, %z[%c26, %c0] : vector<32xi1>, memref<32x32xi1>
  %ctlz = math.ctlz %a : vector<32xi1>
  vector.transfer_write %ctlz, %z[%c27, %c0] : vector<32xi1>, memref<32x32xi1>
  %cttz = math.cttz %a : vector<32xi1>
  vector.transfer_write %cttz, %z[%c28, %c0] : vector<32xi1>, memref<32x32xi1>
  %ctpop = math.ctpop %a : vector<32xi1>
  vector.transfer_write %ctpop, %z[%c29, %c0] : vector<32xi1>, memref<32x32xi1>
  %ipowi = math.ipowi %a, %b : vector<32xi1>
  vector.transfer_write %ipowi, %z[%c30, %c0] : vector<32xi1>, memref<32x32xi1>
  %sel = arith.select %slt, %a, %b : vector<32xi1>, vector<32xi1>
  vector.transfer_write %sel, %z[%c31, %c0] : vector<32xi1>, memref<32x32xi1>
  gpu.return
}
// -----
// lanewise.args x = special(32), y = special(32), z = empty(32, 32), q = empty(12, 32)
gpu.func @arithmetic(%x: memref<32xi4>, %y: memref<32xi4>, %z: memref<32x32xi4>, %q: memref<12x32xi1>) kernel
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
  %p = arith.constant 1 : i4
  %a = vector.transfer_read %x[%c0], %p : memref<32xi4>, vector<32xi4>
  %b = vector.transfer_read %y[%c0], %p : memref<32xi4>, vector<32xi4>
  %addi = arith.addi %a, %b : vector<32xi4>
  vector.transfer_write %addi, %z[%c0, %c0] : vector<32xi4>, memref<32x32xi4>
  %subi = arith.subi %a, %b : vector<32xi4>
  vector.transfer_write %subi, %z[%c1, %c0] : vector<32xi4>, memref<32x32xi4>
  %muli = arith.muli %a, %b : vector<32xi4>
  vector.transfer_write %muli, %z[%c2, %c0] : vector<32xi4>, memref<32x32xi4>
  %divsi = arith.divsi %a, %b : vector<32xi4>
  vector.transfer_write %divsi, %z[%c3, %c0] : vector<32xi4>, memref<32x32xi4>
  %divui = arith.divui %a, %b : vector<32xi4>
  vector.transfer_write %divui, %z[%c4, %c0] : vector<32xi4>, memref<32x32xi4>
  %remsi = arith.remsi %a, %b : vector<32xi4>
  vector.transfer_write %remsi, %z[%c5, %c0] : vector<32xi4>, memref<32x32xi4>
  %remui = arith.remui %a, %b : vector<32xi4>
  vector.transfer_write %remui, %z[%c6, %c0] : vector<32xi4>, memref<32x32xi4>
  %floordivsi = arith.floordivsi %a, %b : vector<32xi4>
  vector.transfer_write %floordivsi, %z[%c7, %c0] : vector<32xi4>, memref<32x32xi4>
  %ceildivsi = arith.ceildivsi %a, %b : vector<32xi4>
  vector.transfer_write %ceildivsi, %z[%c8, %c0] : vector<32xi4>, memref<32x32xi4>
  %ceildivui = arith.ceildivui %a, %b : vector<32xi4>
  vector.transfer_write %ceildivui, %z[%c9, %c0] : vector<32xi4>, memref<32x32xi4>
  %andi = arith.andi %a, %b : vector<32xi4>
  vector.transfer_write %andi, %z[%c10, %c0] : vector<32xi4>, memref<32x32xi4>
  %ori = arith.ori %a, %b : vector<32xi4>
  vector.transfer_write %ori, %z[%c11, %c0] : vector<32xi4>, memref<32x32xi4>
  %xori = arith.xori %a, %b : vector<32xi4>
  vector.transfer_write %xori, %z[%c12, %c0] : vector<32xi4>, memref<32x32xi4>
  %shli = arith.shli %a, %b : vector<32xi4>
  vector.transfer_write %shli, %z[%c13, %c0] : vector<32xi4>, memref<32x32xi4>
  %shrsi = arith.shrsi %a, %b : vector<32xi4>
  vector.transfer_write %shrsi, %z[%c14, %c0] : vector<32xi4>, memref<32x32xi4>
  %shrui = arith.shrui %a, %b : vector<32xi4>
  vector.transfer_write %shrui, %z[%c15, %c0] : vector<32xi4>, memref<32x32xi4>
  %maxsi = arith.maxsi %a, %b : vector<32xi4>
  vector.transfer_write %maxsi, %z[%c16, %c0] : vector<32xi4>, memref<32x32xi4>
  %maxui = arith.maxui %a, %b : vector<32xi4>
  vector.transfer_write %maxui, %z[%c17, %c0] : vector<32xi4>, memref<32x32xi4>
  %minsi = arith.minsi %a, %b : vector<32xi4>
  vector.transfer_write %minsi, %z[%c18, %c0] : vector<32xi4>, memref<32x32xi4>
  %minui = arith.minui %a, %b : vector<32xi4>
  vector.transfer_write %minui, %z[%c19, %c0] : vector<32xi4>, memref<32x32xi4>
  %eq = arith.cmpi eq, %a, %b : vector<32xi4>
  vector.transfer_write %eq, %q[%c0, %c0] : vector<32xi1>, memref<12x32xi1>
  %ne = arith.cmpi ne, %a, %b : vector<32xi4>
  vector.transfer_write %ne, %q[%c1, %c0] : vector<32xi1>, memref<12x32xi1>
  %slt = arith.cmpi slt, %a, %b : vector<32xi4>
  vector.transfer_write %slt, %q[%c2, %c0] : vector<32xi1>, memref<12x32xi1>
  %sle = arith.cmpi sle, %a, %b : vector<32xi4>
  vector.transfer_write %sle, %q[%c3, %c0] : vector<32xi1>, memref<12x32xi1>
  %sgt = arith.cmpi sgt, %a, %b : vector<32xi4>
  vector.transfer_write %sgt, %q[%c4, %c0] : vector<32xi1>, memref<12x32xi1>
  %sge = arith.cmpi sge, %a, %b : vector<32xi4>
  vector.transfer_write %sge, %q[%c5, %c0] : vector<32xi1>, memref<12x32xi1>
  %ult = arith.cmpi ult, %a, %b : vector<32xi4>
  vector.transfer_write %ult, %q[%c6, %c0] : vector<32xi1>, memref<12x32xi1>
  %ule = arith.cmpi ule, %a, %b : vector<32xi4>
  vector.transfer_write %ule, %q[%c7, %c0] : vector<32xi1>, memref<12x32xi1>
  %ugt = arith.cmpi ugt, %a, %b : vector<32xi4>
  vector.transfer_write %ugt, %q[%c8, %c0] : vector<32xi1>, memref<12x32xi1>
  %uge = arith.cmpi uge, %a, %b : vector<32xi4>
  vector.transfer_write %uge, %q[%c9, %c0] : vector<32xi1>, memref<12x32xi1>
  %l1, %h1 = arith.mulsi_extended %a, %b : vector<32xi4>
  vector.transfer_write %l1, %z[%c20, %c0] : vector<32xi4>, memref<32x32xi4>
  vector.transfer_write %h1, %z[%c21, %c0] : vector<32xi4>, memref<32x32xi4>
  %l2, %h2 = arith.mului_extended %a, %b : vector<32xi4>
  vector.transfer_write %l2, %z[%c22, %c0] : vector<32xi4>, memref<32x32xi4>
  vector.transfer_write %h2, %z[%c23, %c0] : vector<32xi4>, memref<32x32xi4>
  %s1, %o1 = arith.addui_extended %a, %b : vector<32xi4>, vector<32xi1>
  vector.transfer_write %s1, %z[%c24, %c0] : vector<32xi4>, memref<32x32xi4>
  vector.transfer_write %o1, %q[%c10, %c0] : vector<32xi1>, memref<12x32xi1>
  %s2, %o2 = arith.subui_extended %a, %b : vector<32xi4>, vector<32xi1>
  vector.transfer_write %s2, %z[%c25, %c0] : vector<32xi4>, memref<32x32xi4>
  vector.transfer_write %o2, %q[%c11, %c0] : vector<32xi1>, memref<12x32xi1>
  %absi = math.absi %a : vector<32xi4>
  vector.transfer_write %absi, %z[%c26, %c0] : vector<32xi4>, memref<32x32xi4>
  %ctlz = math.ctlz %a : vector<32xi4>
  vector.transfer_write %ctlz, %z[%c27, %c0] : vector<32xi4>, memref<32x32xi4>
  %cttz = math.cttz %a : vector<32xi4>
  vector.transfer_write %cttz, %z[%c28, %c0] : vector<32xi4>, memref<32x32xi4>
  %ctpop = math.ctpop %a : vector<32xi4>
  vector.transfer_write %ctpop, %z[%c29, %c0] : vector<32xi4>, memref<32x32xi4>
  %ipowi = math.ipowi %a, %b : vector<32xi4>
  vector.transfer_write %ipowi, %z[%c30, %c0] : vector<32xi4>, memref<32x32xi4>
  %sel = arith.select %slt, %a, %b : vector<32xi1>, vector<32xi4>
  vector.transfer_write %sel, %z[%c31, %c0] : vector<32xi4>, memref<32x32xi4>
  gpu.return
}
// -----
// lanewise.args x = special(32), y = special(32), z = empty(32, 32), q = empty(12, 32)
gpu.func @arithmetic(%x: memref<32xi8>, %y: memref<32xi8>, %z: memref<32x32xi8>, %q: memref<12x32xi1>) kernel
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
  %p = arith.constant 1 : i8
  %a = vector.transfer_read %x[%c0], %p : memref<32xi8>, vector<32xi8>
  %b = vector.transfer_read %y[%c0], %p : memref<32xi8>, vector<32xi8>
  %addi = arith.addi %a, %b : vector<32xi8>
  vector.transfer_write %addi, %z[%c0, %c0] : vector<32xi8>, memref<32x32xi8>
  %subi = arith.subi %a, %b : vector<32xi8>
  vector.transfer_write %subi, %z[%c1, %c0] : vector<32xi8>, memref<32x32xi8>
  %muli = arith.muli %a, %b : vector<32xi8>
  vector.transfer_write %muli, %z[%c2, %c0] : vector<32xi8>, memref<32x32xi8>
  %divsi = arith.divsi %a, %b : vector<32xi8>
  vector.transfer_write %divsi, %z[%c3, %c0] : vector<32xi8>, memref<32x32xi8>
  %divui = arith.divui %a, %b : vector<32xi8>
  vector.transfer_write %divui, %z[%c4, %c0] : vector<32xi8>, memref<32x32xi8>
  %remsi = arith.remsi %a, %b : vector<32xi8>
  vector.transfer_write %remsi, %z[%c5, %c0] : vector<32xi8>, memref<32x32xi8>
  %remui = arith.remui %a, %b : vector<32xi8>
  vector.transfer_write %remui, %z[%c6, %c0] : vector<32xi8>, memref<32x32xi8>
  %floordivsi = arith.floordivsi %a, %b : vector<32xi8>
  vector.transfer_write %floordivsi, %z[%c7, %c0] : vector<32xi8>, memref<32x32xi8>
  %ceildivsi = arith.ceildivsi %a, %b : vector<32xi8>
  vector.transfer_write %ceildivsi, %z[%c8, %c0] : vector<32xi8>, memref<32x32xi8>
  %ceildivui = arith.ceildivui %a, %b : vector<32xi8>
  vector.transfer_write %ceildivui, %z[%c9, %c0] : vector<32xi8>, memref<32x32xi8>
  %andi = arith.andi %a, %b : vector<32xi8>
  vector.transfer_write %andi, %z[%c10, %c0] : vector<32xi8>, memref<32x32xi8>
  %ori = arith.ori %a, %b : vector<32xi8>
  vector.transfer_write %ori, %z[%c11, %c0] : vector<32xi8>, memref<32x32xi8>
  %xori = arith.xori %a, %b : vector<32xi8>
  vector.transfer_write %xori, %z[%c12, %c0] : vector<32xi8>, memref<32x32xi8>
  %shli = arith.shli %a, %b : vector<32xi8>
  vector.transfer_write %shli, %z[%c13, %c0] : vector<32xi8>, memref<32x32xi8>
  %shrsi = arith.shrsi %a, %b : vector<32xi8>
  vector.transfer_write %shrsi, %z[%c14, %c0] : vector<32xi8>, memref<32x32xi8>
  %shrui = arith.shrui %a, %b : vector<32xi8>
  vector.transfer_write %shrui, %z[%c15, %c0] : vector<32xi8>, memref<32x32xi8>
  %maxsi = arith.maxsi %a, %b : vector<32xi8>
  vector.transfer_write %maxsi, %z[%c16, %c0] : vector<32xi8>, memref<32x32xi8>
  %maxui = arith.maxui %a, %b : vector<32xi8>
  vector.transfer_write %maxui, %z[%c17, %c0] : vector<32xi8>, memref<32x32xi8>
  %minsi = arith.minsi %a, %b : vector<32xi8>
  vector.transfer_write %minsi, %z[%c18, %c0] : vector<32xi8>, memref<32x32xi8>
  %minui = arith.minui %a, %b : vector<32xi8>
  vector.transfer_write %minui, %z[%c19, %c0] : vector<32xi8>, memref<32x32xi8>
  %eq = arith.cmpi eq, %a, %b : vector<32xi8>
  vector.transfer_write %eq, %q[%c0, %c0] : vector<32xi1>, memref<12x32xi1>
  %ne = arith.cmpi ne, %a, %b : vector<32xi8>
  vector.transfer_write %ne, %q[%c1, %c0] : vector<32xi1>, memref<12x32xi1>
  %slt = arith.cmpi slt, %a, %b : vector<32xi8>
  vector.transfer_write %slt, %q[%c2, %c0] : vector<32xi1>, memref<12x32xi1>
  %sle = arith.cmpi sle, %a, %b : vector<32xi8>
  vector.transfer_write %sle, %q[%c3, %c0] : vector<32xi1>, memref<12x32xi1>
  %sgt = arith.cmpi sgt, %a, %b : vector<32xi8>
  vector.transfer_write %sgt, %q[%c4, %c0] : vector<32xi1>, memref<12x32xi1>
  %sge = arith.cmpi sge, %a, %b : vector<32xi8>
  vector.transfer_write %sge, %q[%c5, %c0] : vector<32xi1>, memref<12x32xi1>
  %ult = arith.cmpi ult, %a, %b : vector<32xi8>
  vector.transfer_write %ult, %q[%c6, %c0] : vector<32xi1>, memref<12x32xi1>
  %ule = arith.cmpi ule, %a, %b : vector<32xi8>
  vector.transfer_write %ule, %q[%c7, %c0] : vector<32xi1>, memref<12x32xi1>
  %ugt = arith.cmpi ugt, %a, %b : vector<32xi8>
  vector.transfer_write %ugt, %q[%c8, %c0] : vector<32xi1>, memref<12x32xi1>
  %uge = arith.cmpi uge, %a, %b : vector<32xi8>
  vector.transfer_write %uge, %q[%c9, %c0] : vector<32xi1>, memref<12x32xi1>
  %l1, %h1 = arith.mulsi_extended %a, %b : vector<32xi8>
  vector.transfer_write %l1, %z[%c20, %c0] : vector<32xi8>, memref<32x32xi8>
  vector.transfer_write %h1, %z[%c21, %c0] : vector<32xi8>, memref<32x32xi8>
  %l2, %h2 = arith.mului_extended %a, %b : vector<32xi8>
  vector.transfer_write %l2, %z[%c22, %c0] : vector<32xi8>, memref<32x32xi8>
  vector.transfer_write %h2, %z[%c23, %c0] : vector<32xi8>, memref<32x32xi8>
  %s1, %o1 = arith.addui_extended %a, %b : vector<32xi8>, vector<32xi1>
  vector.transfer_write %s1, %z[%c24, %c0] : vector<32xi8>, memref<32x32xi8>
  vector.transfer_write %o1, %q[%c10, %c0] : vector<32xi1>, memref<12x32xi1>
  %s2, %o2 = arith.subui_extended %a, %b : vector<32xi8>, vector<32xi1>
  vector.transfer_write %s2, %z[%c25, %c0] : vector<32xi8>, memref<32x32xi8>
  vector.transfer_write %o2, %q[%c11, %c0] : vector<32xi1>, memref<12x32xi1>
  %absi = math.absi %a : vector<32xi8>
  vector.transfer_write %absi, %z[%c26, %c0] : vector<32xi8>, memref<32x32xi8>
  %ctlz = math.ctlz %a : vector<32xi8>
  vector.transfer_write %ctlz, %z[%c27, %c0] : vector<32xi8>, memref<32x32xi8>
  %cttz = math.cttz %a : vector<32xi8>
  vector.transfer_write %cttz, %z[%c28, %c0] : vector<32xi8>, memref<32x32xi8>
  %ctpop = math.ctpop %a : vector<32xi8>
  vector.transfer_write %ctpop, %z[%c29, %c0] : vector<32xi8>, memref<32x32xi8>
  %ipowi = math.ipowi %a, %b : vector<32xi8>
  vector.transfer_write %ipowi, %z[%c30, %c0] : vector<32xi8>, memref<32x32xi8>
  %sel = arith.select %slt, %a, %b : vector<32xi1>, vector<32xi8>
  vector.transfer_write %sel, %z[%c31, %c0] : vector<32xi8>, memref<32x32xi8>
  gpu.return
}
