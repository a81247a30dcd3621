gpu.func @thread(%x: memref<64x6xf32>, %i: memref<64x6xi32>, %y: memref<64x4xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  %v = vector.load %i[%t, %c0] : memref<64x6xi32>, vector<6xi32>
  %a = vector.load %x[%t, %c0] : memref<64x6xf32>, vector<6xf32>
  %k = vector.constant_mask [6] : vector<6xi1>
  vector.scatter %y[%t, %c0] [%v], %k, %a : memref<64x4xf32>, vector<6xi32>, vector<6xi1>, vector<6xf32>
  gpu.return
}
