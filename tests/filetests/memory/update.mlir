// Atomic updates of a vector's places: elements with one place are all joined to it.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// A histogram: 64 values for 64 threads, one update each, of two workgroups; those of the value 3 are not done.
// lanewise.args x = integers(0, 6, 2, 64), h = integers(0, 9, 8); grid = 2
// expect sm_90: thread memref.atomic_rmw 1, atomics <= 128
gpu.func @histogram(%x: memref<2x64xi32>, %h: memref<8xi32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %b = gpu.block_id x
  %p = arith.constant 0 : i32
  %one = arith.constant dense<1> : vector<64xi32>
  %v = vector.transfer_read %x[%b, %c0], %p {in_bounds = [true]} : memref<2x64xi32>, vector<64xi32>
  // The value 3 is left out.
  %three = arith.constant dense<3> : vector<64xi32>
  %mask = arith.cmpi ne, %v, %three : vector<64xi32>
  lanewise.update addi %one, %h[%c0][%v], %mask : vector<64xi32>, memref<8xi32>, vector<64xi32>, vector<64xi1>
  gpu.return
}
// -----
// Split-K: each workgroup adds its tile, whose rows are the last dim of a flat view; largest values of floats, too.
// lanewise.args a = normal(4, 8, 16), c = normal(128), m = normal(16); grid = 4
gpu.func @split(%a: memref<4x8x16xf32>, %c: memref<128xf32>, %m: memref<16xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %b = gpu.block_id x
  %tile = vector.transfer_read %a[%b, %c0, %c0], %zero {in_bounds = [true, true]} : memref<4x8x16xf32>, vector<8x16xf32>
  %step = vector.step : vector<128xindex>
  %places = vector.shape_cast %step : vector<128xindex> to vector<8x16xindex>
  %all = arith.constant dense<true> : vector<8x16xi1>
  lanewise.update addf %tile, %c[%c0][%places], %all : vector<8x16xf32>, memref<128xf32>, vector<8x16xindex>, vector<8x16xi1>
  %columns = vector.step : vector<16xindex>
  %row = vector.extract %tile[0] : vector<16xf32> from vector<8x16xf32>
  %on = vector.constant_mask [15] : vector<16xi1>
  lanewise.update maximumf %row, %m[%c0][%columns], %on : vector<16xf32>, memref<16xf32>, vector<16xindex>, vector<16xi1>
  gpu.return
}
