// Y = gelu(X W^T + bias), bf16, f32 accumulators, any M, N, K: a linear layer with its activation, weights as NxK (the form NT).
//
// The loop is that of matmul_f16.mlir; what follows it is done on the accumulators while they are in registers. gelu is the form
// with tanh: v (1 + tanh(c)) / 2 with c = sqrt(2 / pi) (v + 0.044715 v^3), which is v / (1 + exp(-2 c)).
// lanewise.args M = 70, N = 136, K = 72 : x = normal(M, K), w = normal(N, K), bias = normal(N), y = empty(M, N) ; grid = (ceildiv(N, 128), ceildiv(M, 128), 1)
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

gpu.func @linear_gelu(%X: memref<?x?xbf16>, %W: memref<?x?xbf16>, %bias: memref<?xbf16>, %Y: memref<?x?xbf16>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %pad = arith.constant 0.0 : bf16
  %zero = arith.constant dense<0.0> : vector<128x128xf32>
  %one = arith.constant dense<1.0> : vector<128x128xf32>
  %linear = arith.constant dense<-1.59576912> : vector<128x128xf32>
  %cubic = arith.constant dense<-0.07135482> : vector<128x128xf32>
  %block_x = gpu.block_id x
  %block_y = gpu.block_id y
  %n = arith.muli %block_x, %c128 : index
  %m = arith.muli %block_y, %c128 : index
  %depth = memref.dim %X, %c1 : memref<?x?xbf16>
  %b0 = vector.transfer_read %bias[%n], %pad : memref<?xbf16>, vector<128xbf16>
  %b1 = arith.extf %b0 : vector<128xbf16> to vector<128xf32>
  %biases = vector.broadcast %b1 : vector<128xf32> to vector<128x128xf32>

  %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%acc = %zero) -> (vector<128x128xf32>) {
    %a = vector.transfer_read %X[%m, %k], %pad : memref<?x?xbf16>, vector<128x32xbf16>
    %b = vector.transfer_read %W[%n, %k], %pad : memref<?x?xbf16>, vector<128x32xbf16>
    %next = vector.contract {
      indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %a, %b, %acc : vector<128x32xbf16>, vector<128x32xbf16> into vector<128x128xf32>
    scf.yield %next : vector<128x128xf32>
  }
  %v = arith.addf %sum, %biases : vector<128x128xf32>
  %square = arith.mulf %v, %v : vector<128x128xf32>
  %slope = math.fma %square, %cubic, %linear : vector<128x128xf32>
  %exponent = arith.mulf %slope, %v : vector<128x128xf32>
  %power = math.exp %exponent : vector<128x128xf32>
  %divisor = arith.addf %power, %one : vector<128x128xf32>
  %gelu = arith.divf %v, %divisor : vector<128x128xf32>
  %out = arith.truncf %gelu : vector<128x128xf32> to vector<128x128xbf16>
  vector.transfer_write %out, %Y[%m, %n] : vector<128x128xbf16>, memref<?x?xbf16>
  gpu.return
}
