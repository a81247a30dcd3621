// The softmax of every row of an MxN matrix, one workgroup a row, any N.
//
// A row is read in tiles of 1024 columns. Every thread keeps its own running maximum and sum per register, so the
// threads meet only twice: for the row's maximum and for the row's sum.
// lanewise.args M = 64, N = 1000 : x = normal(M, N), y = empty(M, N) ; grid = (M, 1, 1)
#layout = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [128], element_tile = [4],
  subgroup_strides = [0], thread_strides = [1]>

gpu.func @softmax(%x: memref<?x?xf32>, %y: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tile = arith.constant 1024 : index
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %lowest_tile = arith.constant dense<0xFF800000> : vector<1024xf32>
  %zero_tile = arith.constant dense<0.0> : vector<1024xf32>
  %row = gpu.block_id x
  %columns = memref.dim %x, %c1 : memref<?x?xf32>

  %maxima = scf.for %j = %c0 to %columns step %tile iter_args(%running = %lowest_tile) -> (vector<1024xf32>) {
    %0 = vector.transfer_read %x[%row, %j], %lowest : memref<?x?xf32>, vector<1024xf32>
    %1 = iree_vector_ext.to_layout %0 to layout(#layout) : vector<1024xf32>
    %2 = arith.maximumf %running, %1 : vector<1024xf32>
    scf.yield %2 : vector<1024xf32>
  }
  %max = vector.multi_reduction <maximumf>, %maxima, %lowest [0] : vector<1024xf32> to f32
  %max_tile = vector.broadcast %max : f32 to vector<1024xf32>

  %sums = scf.for %j = %c0 to %columns step %tile iter_args(%running = %zero_tile) -> (vector<1024xf32>) {
    %0 = vector.transfer_read %x[%row, %j], %lowest : memref<?x?xf32>, vector<1024xf32>
    %1 = iree_vector_ext.to_layout %0 to layout(#layout) : vector<1024xf32>
    %2 = arith.subf %1, %max_tile : vector<1024xf32>
    %3 = math.exp %2 : vector<1024xf32>
    %4 = arith.addf %running, %3 : vector<1024xf32>
    scf.yield %4 : vector<1024xf32>
  }
  %sum = vector.multi_reduction <add>, %sums, %zero [0] : vector<1024xf32> to f32
  %sum_tile = vector.broadcast %sum : f32 to vector<1024xf32>

  scf.for %j = %c0 to %columns step %tile {
    %0 = vector.transfer_read %x[%row, %j], %lowest : memref<?x?xf32>, vector<1024xf32>
    %1 = iree_vector_ext.to_layout %0 to layout(#layout) : vector<1024xf32>
    %2 = arith.subf %1, %max_tile : vector<1024xf32>
    %3 = math.exp %2 : vector<1024xf32>
    %4 = arith.divf %3, %sum_tile : vector<1024xf32>
    vector.transfer_write %4, %y[%row, %j] : vector<1024xf32>, memref<?x?xf32>
  }
  gpu.return
}
