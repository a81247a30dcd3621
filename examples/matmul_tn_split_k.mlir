// C += A^T B for every matrix of a batch, f16 operands, f32 accumulators, any M, N, K: A is KxM (the form TN), and the depth K is
// split among the S workgroups along z of the grid, whose sums join in memory in any order.
//
// lanewise.split_k = "z" says that workgroups along z do together what the program says once: each takes a part of the loop.
// lanewise.update adds every element of a tile to C, which is passed as one row; what lies beyond a matrix is masked.
// lanewise.args B = 2, M = 70, N = 40, K = 100, S = 2 : a = integers(-3, 3, B, K, M), b = integers(-3, 3, B, K, N), c = zeros(B * M * N) ; grid = (ceildiv(N, 64), ceildiv(M, 64) * B, S)
#km = affine_map<(m, n, k) -> (k, m)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

gpu.func @matmul_tn_split_k(%A: memref<?x?x?xf16>, %B: memref<?x?x?xf16>, %C: memref<?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.split_k = "z"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<64x64xf32>
  %depth = memref.dim %A, %c1 : memref<?x?x?xf16>
  %height = memref.dim %A, %c2 : memref<?x?x?xf16>
  %width = memref.dim %B, %c2 : memref<?x?x?xf16>

  %block_x = gpu.block_id x
  %block_y = gpu.block_id y
  %tiles = arith.ceildivui %height, %c64 : index
  %batch = arith.divui %block_y, %tiles : index
  %tile = arith.remui %block_y, %tiles : index
  %n = arith.muli %block_x, %c64 : index
  %m = arith.muli %tile, %c64 : index
  %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %a = vector.transfer_read %A[%batch, %k, %m], %pad : memref<?x?x?xf16>, vector<32x64xf16>
    %b = vector.transfer_read %B[%batch, %k, %n], %pad : memref<?x?x?xf16>, vector<32x64xf16>
    %next = vector.contract {
      indexing_maps = [#km, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %a, %b, %acc : vector<32x64xf16>, vector<32x64xf16> into vector<64x64xf32>
    scf.yield %next : vector<64x64xf32>
  }

  // The place of every element in C, from that of the tile's first row.
  %row = vector.step : vector<64xindex>
  %wide = vector.broadcast %width : index to vector<64xindex>
  %row_place = arith.muli %row, %wide : vector<64xindex>
  %rows0 = vector.broadcast %row_place : vector<64xindex> to vector<64x64xindex>
  %rows = vector.transpose %rows0, [1, 0] : vector<64x64xindex> to vector<64x64xindex>
  %columns = vector.broadcast %row : vector<64xindex> to vector<64x64xindex>
  %places = arith.addi %rows, %columns : vector<64x64xindex>
  %matrix = arith.muli %batch, %height : index
  %line = arith.addi %matrix, %m : index
  %place0 = arith.muli %line, %width : index
  %place = arith.addi %place0, %n : index
  %down = arith.subi %height, %m : index
  %right = arith.subi %width, %n : index
  %inside = vector.create_mask %down, %right : vector<64x64xi1>
  lanewise.update addf %sum, %C[%place][%places], %inside
    : vector<64x64xf32>, memref<?xf32>, vector<64x64xindex>, vector<64x64xi1>
  gpu.return
}
