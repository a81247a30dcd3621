gpu.func @tiles(%x: memref<4x3xf32>, %y: memref<4x3xf32>, %z: memref<2x1xf32>, %w: memref<9x2xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p : memref<4x3xf32>, vector<4x3xf32>
  %t = vector.extract_slices %a, [2, 2], [1, 1] : vector<4x3xf32> into tuple<vector<2x2xf32>, vector<2x1xf32>, vector<2x2xf32>, vector<2x1xf32>>
  %0 = vector.tuple_get %t, 0 : tuple<vector<2x2xf32>, vector<2x1xf32>, vector<2x2xf32>, vector<2x1xf32>>
  %1 = vector.tuple_get %t, 1 : tuple<vector<2x2xf32>, vector<2x1xf32>, vector<2x2xf32>, vector<2x1xf32>>
  %2 = vector.tuple_get %t, 2 : tuple<vector<2x2xf32>, vector<2x1xf32>, vector<2x2xf32>, vector<2x1xf32>>
  %3 = vector.tuple_get %t, 3 : tuple<vector<2x2xf32>, vector<2x1xf32>, vector<2x2xf32>, vector<2x1xf32>>
  %u = vector.tuple %2, %1, %0, %3 : vector<2x2xf32>, vector<2x1xf32>, vector<2x2xf32>, vector<2x1xf32>
  %b = vector.insert_slices %u, [2, 2], [1, 1] : tuple<vector<2x2xf32>, vector<2x1xf32>, vector<2x2xf32>, vector<2x1xf32>> into vector<4x3xf32>
  vector.transfer_write %b, %y[%c0, %c0] : vector<4x3xf32>, memref<4x3xf32>
  vector.transfer_write %3, %z[%c0, %c0] : vector<2x1xf32>, memref<2x1xf32>
  %v = arith.constant dense<4.0> : vector<3x3x2xf32>
  %s = vector.tuple %a, %v : vector<4x3xf32>, vector<3x3x2xf32>
  %c = vector.shape_cast %s : tuple<vector<4x3xf32>, vector<3x3x2xf32>> to tuple<vector<12xf32>, vector<9x2xf32>>
  %d = vector.tuple_get %c, 1 : tuple<vector<12xf32>, vector<9x2xf32>>
  vector.transfer_write %d, %w[%c0, %c0] : vector<9x2xf32>, memref<9x2xf32>
  gpu.return
}
