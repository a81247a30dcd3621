// The sum of every column of an MxN matrix, and of all its elements.
//
// A workgroup has 128 columns and takes 32 rows at a time. Its threads keep a sum for each element of the tile and meet
// once, after the last row. The workgroups' totals join in memory, in any order.
// lanewise.args M = 100, N = 300 : x = normal(M, N), columns = empty(N), total = zeros(1) ; grid = (ceildiv(N, 128), 1, 1)
gpu.func @column_sums(%x: memref<?x?xf32>, %columns: memref<?xf32>, %total: memref<1xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %zero_row = arith.constant dense<0.0> : vector<128xf32>
  %zero_tile = arith.constant dense<0.0> : vector<32x128xf32>
  %block = gpu.block_id x
  %column = arith.muli %block, %c128 : index
  %rows = memref.dim %x, %c0 : memref<?x?xf32>
  %sums = scf.for %row = %c0 to %rows step %c32 iter_args(%running = %zero_tile) -> (vector<32x128xf32>) {
    %0 = vector.transfer_read %x[%row, %column], %zero : memref<?x?xf32>, vector<32x128xf32>
    %1 = arith.addf %running, %0 : vector<32x128xf32>
    scf.yield %1 : vector<32x128xf32>
  }
  %sum = vector.multi_reduction <add>, %sums, %zero_row [0] : vector<32x128xf32> to vector<128xf32>
  vector.transfer_write %sum, %columns[%column] : vector<128xf32>, memref<?xf32>
  %all = vector.multi_reduction <add>, %sum, %zero [0] : vector<128xf32> to f32
  memref.atomic_rmw addf %all, %total[%c0] : (f32, memref<1xf32>) -> f32
  gpu.return
}
