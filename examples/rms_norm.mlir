// Root-mean-square normalisation of every row of an MxN matrix with scale, bf16 in and out, one workgroup a row, any N.
//
// Every thread sums the squares of its own columns over all tiles of a row; the threads meet once. Sums are in f32, and
// the row is divided by its root once: math.rsqrt is within 2 ulps.
// lanewise.args M = 32, N = 1000 : x = normal(M, N), scale = normal(N), y = empty(M, N) ; grid = (M, 1, 1)
gpu.func @rms_norm(%x: memref<?x?xbf16>, %scale: memref<?xbf16>, %y: memref<?x?xbf16>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tile = arith.constant 1024 : index
  %pad = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  %zero_tile = arith.constant dense<0.0> : vector<1024xf32>
  %epsilon = arith.constant 1.0e-5 : f32
  %row = gpu.block_id x
  %columns = memref.dim %x, %c1 : memref<?x?xbf16>
  %count_int = arith.index_cast %columns : index to i64
  %count = arith.sitofp %count_int : i64 to f32

  %squares = scf.for %j = %c0 to %columns step %tile iter_args(%running = %zero_tile) -> (vector<1024xf32>) {
    %0 = vector.transfer_read %x[%row, %j], %pad : memref<?x?xbf16>, vector<1024xbf16>
    %1 = arith.extf %0 : vector<1024xbf16> to vector<1024xf32>
    %2 = math.fma %1, %1, %running : vector<1024xf32>
    scf.yield %2 : vector<1024xf32>
  }
  %square = vector.multi_reduction <add>, %squares, %zero [0] : vector<1024xf32> to f32
  %mean = arith.divf %square, %count : f32
  %shifted = arith.addf %mean, %epsilon : f32
  %factor = math.rsqrt %shifted : f32
  %factors = vector.broadcast %factor : f32 to vector<1024xf32>

  scf.for %j = %c0 to %columns step %tile {
    %0 = vector.transfer_read %x[%row, %j], %pad : memref<?x?xbf16>, vector<1024xbf16>
    %1 = arith.extf %0 : vector<1024xbf16> to vector<1024xf32>
    %2 = arith.mulf %1, %factors : vector<1024xf32>
    %3 = vector.transfer_read %scale[%j], %pad : memref<?xbf16>, vector<1024xbf16>
    %4 = arith.extf %3 : vector<1024xbf16> to vector<1024xf32>
    %5 = arith.mulf %2, %4 : vector<1024xf32>
    %6 = arith.truncf %5 : vector<1024xf32> to vector<1024xbf16>
    vector.transfer_write %6, %y[%row, %j] : vector<1024xbf16>, memref<?x?xbf16>
  }
  gpu.return
}
