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
