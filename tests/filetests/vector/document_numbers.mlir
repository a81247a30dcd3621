// Examples of the vector dialect's document on small numbers, worked by hand; all of memory is 1, 2, 3 and so on.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// A column of 1 and 2 along rows and slabs; boxes of 3 by 2 in 4 by 3, and of nothing, since no bound is negative.
// The tile of 2 by 2 from row and column 1 of 3 by 4. Reads from row 1, column 2 of 3 by 4, and of a box by (d2, 0, d0) from (1, 1, 0).
// lanewise.args a = empty(3, 4), b = empty(3, 2, 2), x = index(12); grid = 1
// prints ( ( ( 1, 1 ), ( 2, 2 ) ), ( ( 1, 1 ), ( 2, 2 ) ), ( ( 1, 1 ), ( 2, 2 ) ) )
// prints ( ( 1, 1, 0 ), ( 1, 1, 0 ), ( 1, 1, 0 ), ( 0, 0, 0 ) )
// prints ( ( 0, 0, 0 ), ( 0, 0, 0 ) )
// prints ( ( 6, 7 ), ( 10, 11 ) )
// prints ( ( 7, 8, -9 ), ( 11, 12, -9 ), ( -9, -9, -9 ) )
// prints ( ( ( 7, 11, -9 ), ( 7, 11, -9 ) ), ( ( 8, 12, -9 ), ( 8, 12, -9 ) ), ( ( -9, -9, -9 ), ( -9, -9, -9 ) ) )
gpu.func @places(%a: memref<3x4xi32>, %b: memref<3x2x2xi32>, %x: memref<12xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %less = arith.constant -2 : index
  %p = arith.constant -9 : i32
  %ones = arith.constant dense<1> : vector<12xi32>
  %from0 = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<12xi32>, vector<12xi32>
  %all = arith.addi %from0, %ones : vector<12xi32>
  %rows = vector.shape_cast %all : vector<12xi32> to vector<3x4xi32>
  %box = vector.shape_cast %all : vector<12xi32> to vector<3x2x2xi32>
  vector.transfer_write %rows, %a[%c0, %c0] {in_bounds = [true, true]} : vector<3x4xi32>, memref<3x4xi32>
  vector.transfer_write %box, %b[%c0, %c0, %c0] {in_bounds = [true, true, true]} : vector<3x2x2xi32>, memref<3x2x2xi32>

  %two = vector.extract_strided_slice %all {offsets = [0], sizes = [2], strides = [1]} : vector<12xi32> to vector<2xi32>
  %column = vector.shape_cast %two : vector<2xi32> to vector<2x1xi32>
  %slabs = vector.broadcast %column : vector<2x1xi32> to vector<3x2x2xi32>
  vector.print %slabs : vector<3x2x2xi32>
  %m = vector.constant_mask [3, 2] : vector<4x3xi1>
  vector.print %m : vector<4x3xi1>
  %none = vector.create_mask %c9, %less : vector<2x3xi1>
  vector.print %none : vector<2x3xi1>
  %tile = vector.extract_strided_slice %rows {offsets = [1, 1], sizes = [2, 2], strides = [1, 1]} : vector<3x4xi32> to vector<2x2xi32>
  vector.print %tile : vector<2x2xi32>
  %corner = vector.transfer_read %a[%c1, %c2], %p : memref<3x4xi32>, vector<3x3xi32>
  vector.print %corner : vector<3x3xi32>
  %mapped = vector.transfer_read %b[%c1, %c1, %c0], %p {permutation_map = affine_map<(d0, d1, d2) -> (d2, 0, d0)>} : memref<3x2x2xi32>, vector<3x2x3xi32>
  vector.print %mapped : vector<3x2x3xi32>
  gpu.return
}
// -----
// Products: 1*1 + .. + 10*10 and a half; (1 2 3), (4 5 6) by (1 2), (3 4), (5 6) and 10; the largest of 10 and the products 1*1, 2*3, 3*5 ..;
// two batches over both of the summed dimensions, by the document's maps: 1*1 + 3*3 + 9*2 + 11*4 is the first.
// lanewise.args x = index(16); grid = 1
// prints 385.5
// prints ( ( 32, 38 ), ( 59, 74 ) )
// prints ( ( 15, 18 ), ( 30, 36 ) )
// prints ( ( ( 72 ), ( 82 ) ), ( ( 272 ), ( 298 ) ) )
gpu.func @products(%x: memref<16xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %ones = arith.constant dense<1.0> : vector<16xf32>
  %from0 = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<16xf32>, vector<16xf32>
  %all = arith.addf %from0, %ones : vector<16xf32>
  %ten = vector.extract_strided_slice %all {offsets = [0], sizes = [10], strides = [1]} : vector<16xf32> to vector<10xf32>
  %dot = vector.contract {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} %ten, %ten, %half : vector<10xf32>, vector<10xf32> into f32
  vector.print %dot : f32
  %six = vector.extract_strided_slice %all {offsets = [0], sizes = [6], strides = [1]} : vector<16xf32> to vector<6xf32>
  %l = vector.shape_cast %six : vector<6xf32> to vector<2x3xf32>
  %r = vector.shape_cast %six : vector<6xf32> to vector<3x2xf32>
  %tens = arith.constant dense<10.0> : vector<2x2xf32>
  %sums = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %l, %r, %tens : vector<2x3xf32>, vector<3x2xf32> into vector<2x2xf32>
  vector.print %sums : vector<2x2xf32>
  %most = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<maxnumf>} %l, %r, %tens : vector<2x3xf32>, vector<3x2xf32> into vector<2x2xf32>
  vector.print %most : vector<2x2xf32>
  %lhs = vector.shape_cast %all : vector<16xf32> to vector<2x2x2x2xf32>
  %eight = vector.extract_strided_slice %all {offsets = [0], sizes = [8], strides = [1]} : vector<16xf32> to vector<8xf32>
  %rhs = vector.shape_cast %eight : vector<8xf32> to vector<2x2x2x1xf32>
  %nothing = arith.constant dense<0.0> : vector<2x2x1xf32>
  %batches = vector.contract {indexing_maps = [affine_map<(b0, f0, f1, c0, c1) -> (c0, b0, c1, f0)>, affine_map<(b0, f0, f1, c0, c1) -> (b0, c1, c0, f1)>, affine_map<(b0, f0, f1, c0, c1) -> (b0, f0, f1)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} %lhs, %rhs, %nothing : vector<2x2x2x2xf32>, vector<2x2x2x1xf32> into vector<2x2x1xf32>
  vector.print %batches : vector<2x2x1xf32>
  gpu.return
}
// -----
// Rounding: 65519.996 down and 65520 to infinity, 2049 and 2051 to even, half of the least number to 0, three quarters of it up;
// in bf16 a tie at 1 to even, 1 and 3/256 to 4/256, 3.4e38 to infinity (1 less of each); 16777217 to 16777210 and 6; -2.9 cut.
// lanewise.args x = full(6, value=0); grid = 1
// prints ( 65504, inf, 2048, 2052, 0, 5.96046e-08 )
// prints ( 0, 0.015625, inf )
// prints ( 6, -2 )
gpu.func @rounded(%x: memref<6xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %zeros = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<6xf32>, vector<6xf32>
  %given = arith.constant dense<[65519.996, 65520.0, 2049.0, 2051.0, 2.98023224e-08, 4.47034836e-08]> : vector<6xf32>
  %h = arith.addf %given, %zeros : vector<6xf32>
  %h16 = arith.truncf %h : vector<6xf32> to vector<6xf16>
  %back = arith.extf %h16 : vector<6xf16> to vector<6xf32>
  vector.print %back : vector<6xf32>
  %zeros3 = vector.extract_strided_slice %zeros {offsets = [0], sizes = [3], strides = [1]} : vector<6xf32> to vector<3xf32>
  %ties = arith.constant dense<[1.00390625, 1.01171875, 3.4e+38]> : vector<3xf32>
  %b = arith.addf %ties, %zeros3 : vector<3xf32>
  %b16 = arith.truncf %b : vector<3xf32> to vector<3xbf16>
  %bback = arith.extf %b16 : vector<3xbf16> to vector<3xf32>
  %one = arith.constant dense<1.0> : vector<3xf32>
  %less = arith.subf %bback, %one : vector<3xf32>
  vector.print %less : vector<3xf32>
  %z = vector.extract %zeros[0] : f32 from vector<6xf32>
  %zi = arith.fptosi %z : f32 to i32
  %odd = arith.constant 16777217 : i32
  %oddz = arith.addi %odd, %zi : i32
  %even = arith.sitofp %oddz : i32 to f32
  %near = arith.constant 16777210.0 : f32
  %six = arith.subf %even, %near : f32
  %minus = arith.constant -2.9 : f32
  %minusz = arith.addf %minus, %z : f32
  %cut = arith.fptosi %minusz : f32 to i32
  %cutf = arith.sitofp %cut : i32 to f32
  %both = vector.from_elements %six, %cutf : vector<2xf32>
  vector.print %both : vector<2xf32>
  gpu.return
}
