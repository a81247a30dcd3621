// Layer normalisation of every row of an MxN matrix with scale and shift, N <= 1024: a workgroup holds its row in registers.
// lanewise.args M = 32, N = 1000 : x = normal(M, N), scale = normal(N), shift = normal(N), y = empty(M, N) ; grid = (M, 1, 1)
gpu.func @layer_norm(%x: memref<?x?xf32>, %scale: memref<?xf32>, %shift: memref<?xf32>, %y: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %zero_tile = arith.constant dense<0.0> : vector<1024xf32>
  %row = gpu.block_id x
  %columns = memref.dim %x, %c1 : memref<?x?xf32>
  %count_int = arith.index_cast %columns : index to i32
  %count = arith.sitofp %count_int : i32 to f32
  %inside = vector.create_mask %columns : vector<1024xi1>

  %values = vector.transfer_read %x[%row, %c0], %zero, %inside {in_bounds = [true]} : memref<?x?xf32>, vector<1024xf32>
  %sum = vector.multi_reduction <add>, %values, %zero [0] : vector<1024xf32> to f32
  %mean = arith.divf %sum, %count : f32
  %mean_tile = vector.broadcast %mean : f32 to vector<1024xf32>
  %all = arith.subf %values, %mean_tile : vector<1024xf32>
  %distances = arith.select %inside, %all, %zero_tile : vector<1024xi1>, vector<1024xf32>
  %squares = arith.mulf %distances, %distances : vector<1024xf32>
  %square = vector.multi_reduction <add>, %squares, %zero [0] : vector<1024xf32> to f32
  %variance = arith.divf %square, %count : f32
  %shifted = arith.addf %variance, %epsilon : f32
  %factor = math.rsqrt %shifted : f32
  %factors = vector.broadcast %factor : f32 to vector<1024xf32>
  %normal = arith.mulf %distances, %factors : vector<1024xf32>
  %weights = vector.transfer_read %scale[%c0], %zero, %inside {in_bounds = [true]} : memref<?xf32>, vector<1024xf32>
  %scaled = arith.mulf %normal, %weights : vector<1024xf32>
  %offsets = vector.transfer_read %shift[%c0], %zero, %inside {in_bounds = [true]} : memref<?xf32>, vector<1024xf32>
  %result = arith.addf %scaled, %offsets : vector<1024xf32>
  vector.transfer_write %result, %y[%row, %c0], %inside {in_bounds = [true]} : vector<1024xf32>, memref<?x?xf32>
  gpu.return
}
