// All kinds on integers, whose sums and products wrap, and on floats; with an accumulator and without.
// test roundtrip
// test run data=written,special
// test run target=gfx942
// lanewise.args x = integers(-9, 9, 100), y = empty(10), a = 7; grid = 1
gpu.func @integers(%x: memref<100xi32>, %y: memref<10xi32>, %a: i32) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i32
  %v = vector.transfer_read %x[%c0], %p : memref<100xi32>, vector<100xi32>
  %0 = vector.reduction <add>, %v : vector<100xi32> into i32
  %1 = vector.reduction <mul>, %v, %a : vector<100xi32> into i32
  %2 = vector.reduction <minsi>, %v : vector<100xi32> into i32
  %3 = vector.reduction <maxsi>, %v : vector<100xi32> into i32
  %4 = vector.reduction <minui>, %v : vector<100xi32> into i32
  %5 = vector.reduction <maxui>, %v, %a : vector<100xi32> into i32
  %6 = vector.reduction <and>, %v : vector<100xi32> into i32
  %7 = vector.reduction <or>, %v : vector<100xi32> into i32
  %8 = vector.reduction <xor>, %v : vector<100xi32> into i32
  %9 = vector.reduction "max", %v : vector<100xi32> into i32
  %r = vector.from_elements %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : vector<10xi32>
  vector.transfer_write %r, %y[%c0] : vector<10xi32>, memref<10xi32>
  gpu.return
}

// -----

// Three elements in each of 8 lanes: three steps for each of the reductions, of which the two sums may share theirs.
// expect sm_90: loads 3, shuffles >= 18, shuffles <= 21, barriers 0
// expect gfx942: loads 3, barriers 0, shared bytes 0
// lanewise.args x = normal(24), y = empty(8), a = 0.5; grid = 1
gpu.func @floats(%x: memref<24xf32>, %y: memref<8xf32>, %a: f32) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0], %p : memref<24xf32>, vector<24xf32>
  %0 = vector.reduction <add>, %v fastmath<reassoc> : vector<24xf32> into f32
  %1 = vector.reduction <mul>, %v, %a : vector<24xf32> into f32
  %2 = vector.reduction <minnumf>, %v : vector<24xf32> into f32
  %3 = vector.reduction <maxnumf>, %v, %a : vector<24xf32> into f32
  %4 = vector.reduction <minimumf>, %v : vector<24xf32> into f32
  %5 = vector.reduction <maximumf>, %v, %a : vector<24xf32> into f32
  %6 = vector.reduction "add", %v, %a : vector<24xf32> into f32
  %s = vector.broadcast %a : f32 to vector<f32>
  %7 = vector.reduction <add>, %s, %6 : vector<f32> into f32
  %r = vector.from_elements %0, %1, %2, %3, %4, %5, %6, %7 : vector<8xf32>
  vector.transfer_write %r, %y[%c0] : vector<8xf32>, memref<8xf32>
  gpu.return
}
