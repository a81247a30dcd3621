// Workgroups along z share out a loop whose sums are added to memory; the text says what they do together.
// test roundtrip
// test run target=sm_80
// test run target=sm_80 S=1
// test run target=sm_80 S=7 K=70 N=33
// test run target=gfx942 S=2
// Four parts of 100 by 16 are 2 iterations each, but the last has one; of seven parts of 70 two have none. The step stays a constant: a ring of copies is filled, two
// tiles each before the loop, or three, and in it.
// Of 32 x 32 x 16 multiply-adds m16n8k16 does 2048, and each of two subgroups a half.
// expect sm_80 K=104: layout gpu.block_id 3, layout gpu.grid_dim 1, layout scf.for 1, layout lanewise.async_copy >= 4, mma 4
// expect gfx942: layout gpu.grid_dim 1
// lanewise.args M = 40, N = 40, K = 100, S = 4 : a = integers(-3, 3, M, K), b = integers(-3, 3, K, N), c = integers(-3, 3, M * N) ; grid = (ceildiv(N, 32), ceildiv(M, 32), S)
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @f(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.split_k = "z"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<32x32xf32>
  %x = gpu.block_id x
  %y = gpu.block_id y
  %n = arith.muli %x, %c32 : index
  %m = arith.muli %y, %c32 : index
  %height = memref.dim %A, %c0 : memref<?x?xf16>
  %depth = memref.dim %A, %c1 : memref<?x?xf16>
  %width = memref.dim %B, %c1 : memref<?x?xf16>
  %sum = scf.for %k = %c0 to %depth step %c16 iter_args(%acc = %zero) -> (vector<32x32xf32>) {
    %a = vector.transfer_read %A[%m, %k], %pad : memref<?x?xf16>, vector<32x16xf16>
    %b = vector.transfer_read %B[%k, %n], %pad : memref<?x?xf16>, vector<16x32xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %acc : vector<32x16xf16>, vector<16x32xf16> into vector<32x32xf32>
    scf.yield %next : vector<32x32xf32>
  }
  %row = vector.step : vector<32xindex>
  %wide = vector.broadcast %width : index to vector<32xindex>
  %places0 = arith.muli %row, %wide : vector<32xindex>
  %places1 = vector.broadcast %places0 : vector<32xindex> to vector<32x32xindex>
  %places2 = vector.transpose %places1, [1, 0] : vector<32x32xindex> to vector<32x32xindex>
  %columns = vector.broadcast %row : vector<32xindex> to vector<32x32xindex>
  %places = arith.addi %places2, %columns : vector<32x32xindex>
  %first0 = arith.muli %m, %width : index
  %first = arith.addi %first0, %n : index
  %down = arith.subi %height, %m : index
  %right = arith.subi %width, %n : index
  %inside = vector.create_mask %down, %right : vector<32x32xi1>
  lanewise.update addf %sum, %C[%first][%places], %inside
    : vector<32x32xf32>, memref<?xf32>, vector<32x32xindex>, vector<32x32xi1>
  gpu.return
}
