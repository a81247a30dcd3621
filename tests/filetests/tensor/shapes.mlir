// Tensors under other shapes and types, joined, padded and computed: nothing of them lies in memory where it is known.
// test roundtrip
// test run
// test run target=gfx942
// test run target=sm_80
// test run target=gfx1100
// prints ( ( 0, 1, 2, 3, 4, 5 ), ( 6, 7, 8, 9, 10, 11 ) )
// prints ( ( ( 0, 1, 2 ), ( 3, 4, 5 ) ), ( ( 6, 7, 8 ), ( 9, 10, 11 ) ) )
// prints ( ( 0, 1, 2, 0 ), ( 3, 4, 5, 3 ), ( 6, 7, 8, 6 ), ( 9, 10, 11, 9 ) )
// prints ( ( 5, 5, 5, 5 ), ( 5, 0, 1, 2 ), ( 5, 3, 4, 5 ) )
// prints ( ( 0, 10, 20 ), ( 1, 11, 21 ) )
// prints 1065353216
// prints 3
// lanewise.args x = index(4, 3); grid = 1
// expect sm_90: shared bytes 0
gpu.func @held(%x: memref<4x3xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i32
  %five = arith.constant 5 : i32
  %r = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<4x3xi32>, vector<4x3xi32>
  %none = tensor.empty() : tensor<4x3xi32>
  %t = vector.transfer_write %r, %none[%c0, %c0] {in_bounds = [true, true]} : vector<4x3xi32>, tensor<4x3xi32>
  %extents = arith.constant dense<[2, 6]> : tensor<2xindex>
  %flat = tensor.reshape %t(%extents) : (tensor<4x3xi32>, tensor<2xindex>) -> tensor<2x6xi32>
  %v0 = vector.transfer_read %flat[%c0, %c0], %p {in_bounds = [true, true]} : tensor<2x6xi32>, vector<2x6xi32>
  vector.print %v0 : vector<2x6xi32>
  %cut = tensor.expand_shape %flat [[0], [1, 2]] output_shape [2, 2, 3] : tensor<2x6xi32> into tensor<2x2x3xi32>
  %v1 = vector.transfer_read %cut[%c0, %c0, %c0], %p {in_bounds = [true, true, true]} : tensor<2x2x3xi32>, vector<2x2x3xi32>
  vector.print %v1 : vector<2x2x3xi32>
  %back = tensor.collapse_shape %cut [[0, 1], [2]] : tensor<2x2x3xi32> into tensor<4x3xi32>
  %column = tensor.extract_slice %back[0, 0] [4, 1] [1, 1] : tensor<4x3xi32> to tensor<4x1xi32>
  %wide = tensor.concat dim(1) %back, %column : (tensor<4x3xi32>, tensor<4x1xi32>) -> tensor<4x4xi32>
  %v2 = vector.transfer_read %wide[%c0, %c0], %p {in_bounds = [true, true]} : tensor<4x4xi32>, vector<4x4xi32>
  vector.print %v2 : vector<4x4xi32>
  %few = tensor.extract_slice %back[0, 0] [2, 3] [1, 1] : tensor<4x3xi32> to tensor<2x3xi32>
  %padded = tensor.pad %few low[1, 1] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %five : i32
  } : tensor<2x3xi32> to tensor<3x4xi32>
  %v3 = vector.transfer_read %padded[%c0, %c0], %p {in_bounds = [true, true]} : tensor<3x4xi32>, vector<3x4xi32>
  vector.print %v3 : vector<3x4xi32>
  %computed = tensor.generate {
  ^bb0(%i: index, %j: index):
    %ten = arith.constant 10 : index
    %tens = arith.muli %j, %ten : index
    %sum = arith.addi %tens, %i : index
    %s = arith.index_cast %sum : index to i32
    tensor.yield %s : i32
  } : tensor<2x3xi32>
  %v4 = vector.transfer_read %computed[%c0, %c0], %p {in_bounds = [true, true]} : tensor<2x3xi32>, vector<2x3xi32>
  vector.print %v4 : vector<2x3xi32>
  %ones = arith.constant dense<1.0> : tensor<2xf32>
  %bits = tensor.bitcast %ones : tensor<2xf32> to tensor<2xi32>
  %e = tensor.extract %bits[%c0] : tensor<2xi32>
  vector.print %e : i32
  %rank = tensor.rank %cut : tensor<2x2x3xi32>
  vector.print %rank : index
  gpu.return
}
// -----
// The same of buffers whose extents are not known: rows 1 and 2 of x and what is around them, and each view of one place.
// prints ( ( 9, 9, 9, 9 ), ( 9, 3, 4, 5 ), ( 9, 6, 7, 8 ), ( 9, 9, 9, 9 ) )
// prints ( 3, 4, 5, 6, 7, 8 )
// prints 2
// lanewise.args x = index(4, 3), y = empty(4, 3), 2; grid = 1
gpu.func @lying(%x: memref<4x3xi32>, %y: memref<?x3xi32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 0 : i32
  %t = bufferization.to_tensor %x restrict : memref<4x3xi32> to tensor<4x3xi32>
  %open = tensor.cast %t : tensor<4x3xi32> to tensor<?x3xi32>
  %rows = tensor.extract_slice %open[%c1, 0] [%n, 3] [1, 1] : tensor<?x3xi32> to tensor<?x3xi32>
  %padded = tensor.pad %rows nofold low[%c1, 1] high[%c1, 0] {
  ^bb0(%i: index, %j: index):
    %nine = arith.constant 9 : i32
    tensor.yield %nine : i32
  } : tensor<?x3xi32> to tensor<4x4xi32>
  %v = vector.transfer_read %padded[%c0, %c0], %p {in_bounds = [true, true]} : tensor<4x4xi32>, vector<4x4xi32>
  vector.print %v : vector<4x4xi32>
  %flat = tensor.collapse_shape %rows [[0, 1]] : tensor<?x3xi32> into tensor<?xi32>
  %all = vector.transfer_read %flat[%c0], %p : tensor<?xi32>, vector<6xi32>
  vector.print %all : vector<6xi32>
  %split = tensor.expand_shape %flat [[0, 1]] output_shape [%n, 3] : tensor<?xi32> into tensor<?x3xi32>
  %d = tensor.dim %split, %c0 : tensor<?x3xi32>
  vector.print %d : index
  // what is changed under one name lies where it was
  %u = bufferization.to_tensor %y restrict writable : memref<?x3xi32> to tensor<?x3xi32>
  %line = tensor.collapse_shape %u [[0, 1]] : tensor<?x3xi32> into tensor<?xi32>
  %changed = vector.transfer_write %all, %line[%c0] : vector<6xi32>, tensor<?xi32>
  %whole = tensor.expand_shape %changed [[0, 1]] output_shape [%n, 3] : tensor<?xi32> into tensor<?x3xi32>
  %sv = memref.subview %y[0, 0] [%n, 3] [1, 1] : memref<?x3xi32> to memref<?x3xi32, strided<[3, 1]>>
  bufferization.materialize_in_destination %whole in restrict writable %sv
    : (tensor<?x3xi32>, memref<?x3xi32, strided<[3, 1]>>) -> ()
  gpu.return
}
