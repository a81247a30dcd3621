// y = A x, f16 matrix and vector, f32 accumulators and result, any M and N: 16 rows a workgroup, 512 columns of them at a time.
//
// Rows are read whole; every thread keeps a sum for each of its elements of the tile, and the threads of a row meet once.
// lanewise.args M = 50, N = 1000 : a = normal(M, N), x = normal(N), y = empty(M) ; grid = (ceildiv(M, 16), 1, 1)
gpu.func @gemv(%A: memref<?x?xf16>, %x: memref<?xf16>, %y: memref<?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c512 = arith.constant 512 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %zero_tile = arith.constant dense<0.0> : vector<16x512xf32>
  %block = gpu.block_id x
  %row = arith.muli %block, %c16 : index
  %columns = memref.dim %A, %c1 : memref<?x?xf16>
  %sums = scf.for %j = %c0 to %columns step %c512 iter_args(%running = %zero_tile) -> (vector<16x512xf32>) {
    %0 = vector.transfer_read %A[%row, %j], %pad : memref<?x?xf16>, vector<16x512xf16>
    %1 = arith.extf %0 : vector<16x512xf16> to vector<16x512xf32>
    %2 = vector.transfer_read %x[%j], %pad : memref<?xf16>, vector<512xf16>
    %3 = arith.extf %2 : vector<512xf16> to vector<512xf32>
    %4 = vector.broadcast %3 : vector<512xf32> to vector<16x512xf32>
    %5 = math.fma %1, %4, %running : vector<16x512xf32>
    scf.yield %5 : vector<16x512xf32>
  }
  %sum = vector.multi_reduction <add>, %sums, %zero [1] : vector<16x512xf32> to vector<16xf32>
  vector.transfer_write %sum, %y[%row] : vector<16xf32>, memref<?xf32>
  gpu.return
}
