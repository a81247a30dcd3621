// Integers of widths that memory has not: the number is stored in the next longer one, and arithmetic wraps.
// test roundtrip
// test run target=sm_90 data=written
// test run target=gfx942 data=written
// lanewise.args N = 333: x = integers(-4, 3, N), y = integers(-4, 3, N), z = empty(N)
gpu.func @arithmetic(%x: memref<?xi3>, %y: memref<?xi3>, %z: memref<?xi3>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i3
  %one = arith.constant dense<1> : vector<512xi3>
  %a = vector.transfer_read %x[%c0], %p : memref<?xi3>, vector<512xi3>
  %b = vector.transfer_read %y[%c0], %p : memref<?xi3>, vector<512xi3>
  %d = arith.ori %b, %one : vector<512xi3>
  %0 = arith.muli %a, %b : vector<512xi3>
  %1 = arith.muli %0, %0 : vector<512xi3>
  %2 = arith.addi %1, %a : vector<512xi3>
  %3 = arith.divui %2, %d : vector<512xi3>
  %4 = arith.shrsi %2, %one : vector<512xi3>
  %5 = arith.shrui %2, %one : vector<512xi3>
  %6 = arith.cmpi ult, %4, %5 : vector<512xi3>
  %7 = arith.minui %3, %4 : vector<512xi3>
  %8 = arith.maxsi %5, %b : vector<512xi3>
  %9 = arith.select %6, %7, %8 : vector<512xi1>, vector<512xi3>
  %10 = arith.remui %9, %d : vector<512xi3>
  %11 = arith.subi %10, %9 : vector<512xi3>
  vector.transfer_write %11, %z[%c0] : vector<512xi3>, memref<?xi3>
  gpu.return
}
// -----
// lanewise.args N = 333: x = integers(-4, 3, N), y = integers(-4, 3, N), z = empty(N)
gpu.func @arithmetic(%x: memref<?xi4>, %y: memref<?xi4>, %z: memref<?xi4>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i4
  %one = arith.constant dense<1> : vector<512xi4>
  %a = vector.transfer_read %x[%c0], %p : memref<?xi4>, vector<512xi4>
  %b = vector.transfer_read %y[%c0], %p : memref<?xi4>, vector<512xi4>
  %d = arith.ori %b, %one : vector<512xi4>
  %0 = arith.muli %a, %b : vector<512xi4>
  %1 = arith.muli %0, %0 : vector<512xi4>
  %2 = arith.addi %1, %a : vector<512xi4>
  %3 = arith.divui %2, %d : vector<512xi4>
  %4 = arith.shrsi %2, %one : vector<512xi4>
  %5 = arith.shrui %2, %one : vector<512xi4>
  %6 = arith.cmpi ult, %4, %5 : vector<512xi4>
  %7 = arith.minui %3, %4 : vector<512xi4>
  %8 = arith.maxsi %5, %b : vector<512xi4>
  %9 = arith.select %6, %7, %8 : vector<512xi1>, vector<512xi4>
  %10 = arith.remui %9, %d : vector<512xi4>
  %11 = arith.subi %10, %9 : vector<512xi4>
  vector.transfer_write %11, %z[%c0] : vector<512xi4>, memref<?xi4>
  gpu.return
}
// -----
// lanewise.args N = 333: x = integers(-4, 3, N), y = integers(-4, 3, N), z = empty(N)
gpu.func @arithmetic(%x: memref<?xi12>, %y: memref<?xi12>, %z: memref<?xi12>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i12
  %one = arith.constant dense<1> : vector<512xi12>
  %a = vector.transfer_read %x[%c0], %p : memref<?xi12>, vector<512xi12>
  %b = vector.transfer_read %y[%c0], %p : memref<?xi12>, vector<512xi12>
  %d = arith.ori %b, %one : vector<512xi12>
  %0 = arith.muli %a, %b : vector<512xi12>
  %1 = arith.muli %0, %0 : vector<512xi12>
  %2 = arith.addi %1, %a : vector<512xi12>
  %3 = arith.divui %2, %d : vector<512xi12>
  %4 = arith.shrsi %2, %one : vector<512xi12>
  %5 = arith.shrui %2, %one : vector<512xi12>
  %6 = arith.cmpi ult, %4, %5 : vector<512xi12>
  %7 = arith.minui %3, %4 : vector<512xi12>
  %8 = arith.maxsi %5, %b : vector<512xi12>
  %9 = arith.select %6, %7, %8 : vector<512xi1>, vector<512xi12>
  %10 = arith.remui %9, %d : vector<512xi12>
  %11 = arith.subi %10, %9 : vector<512xi12>
  vector.transfer_write %11, %z[%c0] : vector<512xi12>, memref<?xi12>
  gpu.return
}
// -----
// lanewise.args N = 333: x = integers(-4, 3, N), y = integers(-4, 3, N), z = empty(N)
gpu.func @arithmetic(%x: memref<?xi24>, %y: memref<?xi24>, %z: memref<?xi24>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i24
  %one = arith.constant dense<1> : vector<512xi24>
  %a = vector.transfer_read %x[%c0], %p : memref<?xi24>, vector<512xi24>
  %b = vector.transfer_read %y[%c0], %p : memref<?xi24>, vector<512xi24>
  %d = arith.ori %b, %one : vector<512xi24>
  %0 = arith.muli %a, %b : vector<512xi24>
  %1 = arith.muli %0, %0 : vector<512xi24>
  %2 = arith.addi %1, %a : vector<512xi24>
  %3 = arith.divui %2, %d : vector<512xi24>
  %4 = arith.shrsi %2, %one : vector<512xi24>
  %5 = arith.shrui %2, %one : vector<512xi24>
  %6 = arith.cmpi ult, %4, %5 : vector<512xi24>
  %7 = arith.minui %3, %4 : vector<512xi24>
  %8 = arith.maxsi %5, %b : vector<512xi24>
  %9 = arith.select %6, %7, %8 : vector<512xi1>, vector<512xi24>
  %10 = arith.remui %9, %d : vector<512xi24>
  %11 = arith.subi %10, %9 : vector<512xi24>
  vector.transfer_write %11, %z[%c0] : vector<512xi24>, memref<?xi24>
  gpu.return
}
// -----
// lanewise.args N = 333: x = integers(-4, 3, N), y = integers(-4, 3, N), z = empty(N)
gpu.func @arithmetic(%x: memref<?xi48>, %y: memref<?xi48>, %z: memref<?xi48>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i48
  %one = arith.constant dense<1> : vector<512xi48>
  %a = vector.transfer_read %x[%c0], %p : memref<?xi48>, vector<512xi48>
  %b = vector.transfer_read %y[%c0], %p : memref<?xi48>, vector<512xi48>
  %d = arith.ori %b, %one : vector<512xi48>
  %0 = arith.muli %a, %b : vector<512xi48>
  %1 = arith.muli %0, %0 : vector<512xi48>
  %2 = arith.addi %1, %a : vector<512xi48>
  %3 = arith.divui %2, %d : vector<512xi48>
  %4 = arith.shrsi %2, %one : vector<512xi48>
  %5 = arith.shrui %2, %one : vector<512xi48>
  %6 = arith.cmpi ult, %4, %5 : vector<512xi48>
  %7 = arith.minui %3, %4 : vector<512xi48>
  %8 = arith.maxsi %5, %b : vector<512xi48>
  %9 = arith.select %6, %7, %8 : vector<512xi1>, vector<512xi48>
  %10 = arith.remui %9, %d : vector<512xi48>
  %11 = arith.subi %10, %9 : vector<512xi48>
  vector.transfer_write %11, %z[%c0] : vector<512xi48>, memref<?xi48>
  gpu.return
}
