// Layer normalisation of every row of an MxN matrix with scale and shift, one workgroup a row, any N.
//
// Mean first, then the mean of the squared distances from it, then the result: three passes over the row, no
// cancellation. Columns beyond N are masked out of the second sum.
// lanewise.args M = 32, N = 1000 : x = normal(M, N), scale = normal(N), shift = normal(N), y = empty(M, N) ; grid = (M, 1, 1)
#layout = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [128], element_tile = [4],
  subgroup_strides = [0], thread_strides = [1]>

gpu.func @layer_norm(%x: memref<?x?xf32>, %scale: memref<?xf32>, %shift: memref<?xf32>, %y: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tile = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %zero_tile = arith.constant dense<0.0> : vector<512xf32>
  %row = gpu.block_id x
  %columns = memref.dim %x, %c1 : memref<?x?xf32>
  %count_int = arith.index_cast %columns : index to i64
  %count = arith.sitofp %count_int : i64 to f32

  %sums = scf.for %j = %c0 to %columns step %tile iter_args(%running = %zero_tile) -> (vector<512xf32>) {
    %0 = vector.transfer_read %x[%row, %j], %zero : memref<?x?xf32>, vector<512xf32>
    %1 = iree_vector_ext.to_layout %0 to layout(#layout) : vector<512xf32>
    %2 = arith.addf %running, %1 : vector<512xf32>
    scf.yield %2 : vector<512xf32>
  }
  %sum = vector.multi_reduction <add>, %sums, %zero [0] : vector<512xf32> to f32
  %mean = arith.divf %sum, %count : f32
  %mean_tile = vector.broadcast %mean : f32 to vector<512xf32>

  %squares = scf.for %j = %c0 to %columns step %tile iter_args(%running = %zero_tile) -> (vector<512xf32>) {
    %0 = vector.transfer_read %x[%row, %j], %zero : memref<?x?xf32>, vector<512xf32>
    %1 = iree_vector_ext.to_layout %0 to layout(#layout) : vector<512xf32>
    %2 = arith.subf %1, %mean_tile : vector<512xf32>
    %left = arith.subi %columns, %j : index
    %inside = vector.create_mask %left : vector<512xi1>
    %3 = arith.select %inside, %2, %zero_tile : vector<512xi1>, vector<512xf32>
    %4 = arith.mulf %3, %3 : vector<512xf32>
    %5 = arith.addf %running, %4 : vector<512xf32>
    scf.yield %5 : vector<512xf32>
  }
  %square = vector.multi_reduction <add>, %squares, %zero [0] : vector<512xf32> to f32
  %variance = arith.divf %square, %count : f32
  %shifted = arith.addf %variance, %epsilon : f32
  %deviation = math.sqrt %shifted : f32
  %deviation_tile = vector.broadcast %deviation : f32 to vector<512xf32>

  scf.for %j = %c0 to %columns step %tile {
    %0 = vector.transfer_read %x[%row, %j], %zero : memref<?x?xf32>, vector<512xf32>
    %1 = iree_vector_ext.to_layout %0 to layout(#layout) : vector<512xf32>
    %2 = arith.subf %1, %mean_tile : vector<512xf32>
    %3 = arith.divf %2, %deviation_tile : vector<512xf32>
    %4 = vector.transfer_read %scale[%j], %zero : memref<?xf32>, vector<512xf32>
    %5 = arith.mulf %3, %4 : vector<512xf32>
    %6 = vector.transfer_read %shift[%j], %zero : memref<?xf32>, vector<512xf32>
    %7 = arith.addf %5, %6 : vector<512xf32>
    vector.transfer_write %7, %y[%row, %j] : vector<512xf32>, memref<?x?xf32>
  }
  gpu.return
}
