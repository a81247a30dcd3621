// Operations done where a mask is on: reductions join what is on, elementwise ones have a value for what is off.
// test roundtrip
// test run data=written,special
// test run target=gfx942
// lanewise.args x = normal(4, 40), y = empty(4), z = empty(4, 40), w = empty(4, 40), r = empty(2), n = 23; grid = 1
gpu.func @values(%x: memref<4x40xf32>, %y: memref<4xf32>, %z: memref<4x40xf32>, %w: memref<4x40xf32>, %r: memref<2xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p : memref<4x40xf32>, vector<4x40xf32>
  %m = vector.create_mask %c3, %n : vector<4x40xi1>
  %acc = arith.constant dense<1.0> : vector<4xf32>
  %0 = vector.mask %m { vector.multi_reduction <maxnumf>, %a, %acc [1] : vector<4x40xf32> to vector<4xf32> } : vector<4x40xi1> -> vector<4xf32>
  vector.transfer_write %0, %y[%c0] : vector<4xf32>, memref<4xf32>
  %1 = vector.mask %m, %a { arith.negf %a : vector<4x40xf32> } : vector<4x40xi1> -> vector<4x40xf32>
  vector.mask %m { vector.transfer_write %1, %z[%c0, %c0] : vector<4x40xf32>, memref<4x40xf32> } : vector<4x40xi1>
  %f = arith.constant 7.0 : f32
  %2 = vector.mask %m { vector.transfer_read %x[%c0, %c0], %f : memref<4x40xf32>, vector<4x40xf32> } : vector<4x40xi1> -> vector<4x40xf32>
  vector.transfer_write %2, %w[%c0, %c0] : vector<4x40xf32>, memref<4x40xf32>
  %row = vector.extract %a[1] : vector<40xf32> from vector<4x40xf32>
  %k = vector.create_mask %n : vector<40xi1>
  %none = vector.constant_mask [0] : vector<40xi1>
  %3 = vector.mask %k { vector.reduction <minnumf>, %row : vector<40xf32> into f32 } : vector<40xi1> -> f32
  %4 = vector.mask %none { vector.reduction <add>, %row, %f : vector<40xf32> into f32 } : vector<40xi1> -> f32
  %5 = vector.mask %k { vector.yield %3 : f32 } : vector<40xi1> -> f32
  %b = vector.from_elements %5, %4 : vector<2xf32>
  vector.transfer_write %b, %r[%c0] : vector<2xf32>, memref<2xf32>
  gpu.return
}

// -----

// Products: a box is a box of each operand; any other mask is one of single products. Off, the accumulator stays.
// lanewise.args x = normal(8, 16), y = normal(16, 8), c = normal(8, 8), z = empty(8, 8), w = empty(8, 8), o = empty(8, 16), n = 5; grid = 1
gpu.func @products(%x: memref<8x16xf32>, %y: memref<16x8xf32>, %c: memref<8x8xf32>, %z: memref<8x8xf32>, %w: memref<8x8xf32>, %o: memref<8x16xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p : memref<8x16xf32>, vector<8x16xf32>
  %b = vector.transfer_read %y[%c0, %c0], %p : memref<16x8xf32>, vector<16x8xf32>
  %d = vector.transfer_read %c[%c0, %c0], %p : memref<8x8xf32>, vector<8x8xf32>
  %box = vector.create_mask %c7, %n, %c7 : vector<8x8x16xi1>
  %0 = vector.mask %box { vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %d : vector<8x16xf32>, vector<16x8xf32> into vector<8x8xf32> } : vector<8x8x16xi1> -> vector<8x8xf32>
  vector.transfer_write %0, %z[%c0, %c0] : vector<8x8xf32>, memref<8x8xf32>
  %column = vector.step : vector<16xindex>
  %even = arith.cmpi ult, %column, %column : vector<16xindex>
  %some = vector.broadcast %even : vector<16xi1> to vector<8x8x16xi1>
  %odd = arith.xori %some, %box : vector<8x8x16xi1>
  %1 = vector.mask %odd { vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (j, i)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<maximumf>} %a, %b, %d : vector<8x16xf32>, vector<16x8xf32> into vector<8x8xf32> } : vector<8x8x16xi1> -> vector<8x8xf32>
  vector.transfer_write %1, %w[%c0, %c0] : vector<8x8xf32>, memref<8x8xf32>
  %l = vector.extract_strided_slice %a {offsets = [0, 0], sizes = [8, 1], strides = [1, 1]} : vector<8x16xf32> to vector<8x1xf32>
  %l1 = vector.shape_cast %l : vector<8x1xf32> to vector<8xf32>
  %r1 = vector.extract %a[2] : vector<16xf32> from vector<8x16xf32>
  %m = vector.create_mask %n, %c7 : vector<8x16xi1>
  %2 = vector.mask %m { vector.outerproduct %l1, %r1, %a : vector<8xf32>, vector<16xf32> } : vector<8x16xi1> -> vector<8x16xf32>
  vector.transfer_write %2, %o[%c0, %c0] : vector<8x16xf32>, memref<8x16xf32>
  gpu.return
}
