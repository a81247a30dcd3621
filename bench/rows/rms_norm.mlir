// Root-mean-square normalisation of every row of an MxN matrix with scale, bf16 in and out, N <= 1024.
// lanewise.args M = 32, N = 1000 : x = normal(M, N), scale = normal(N), y = empty(M, N) ; grid = (M, 1, 1)
gpu.func @rms_norm(%x: memref<?x?xbf16>, %scale: memref<?xbf16>, %y: memref<?x?xbf16>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %row = gpu.block_id x
  %columns = memref.dim %x, %c1 : memref<?x?xbf16>
  %count_int = arith.index_cast %columns : index to i32
  %inside = vector.create_mask %columns : vector<1024xi1>
  %count = arith.sitofp %count_int : i32 to f32

  %0 = vector.transfer_read %x[%row, %c0], %pad, %inside {in_bounds = [true]} : memref<?x?xbf16>, vector<1024xbf16>
  %values = arith.extf %0 : vector<1024xbf16> to vector<1024xf32>
  %squares = arith.mulf %values, %values : vector<1024xf32>
  %square = vector.multi_reduction <add>, %squares, %zero [0] : vector<1024xf32> to f32
  %mean = arith.divf %square, %count : f32
  %shifted = arith.addf %mean, %epsilon : f32
  %factor = math.rsqrt %shifted : f32
  %factors = vector.broadcast %factor : f32 to vector<1024xf32>
  %normal = arith.mulf %values, %factors : vector<1024xf32>
  %1 = vector.transfer_read %scale[%c0], %pad, %inside {in_bounds = [true]} : memref<?xbf16>, vector<1024xbf16>
  %weights = arith.extf %1 : vector<1024xbf16> to vector<1024xf32>
  %scaled = arith.mulf %normal, %weights : vector<1024xf32>
  %result = arith.truncf %scaled : vector<1024xf32> to vector<1024xbf16>
  vector.transfer_write %result, %y[%row, %c0], %inside {in_bounds = [true]} : vector<1024xbf16>, memref<?x?xbf16>
  gpu.return
}
