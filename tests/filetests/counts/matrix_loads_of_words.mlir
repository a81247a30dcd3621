// ldmatrix moves rows of 16 bytes whatever is in them: where a lane's registers are words along a row, of tf32 one number each, of
// bytes four, one instruction brings four registers. Four subgroups have 32 rows and 32 columns each; `shared loads` are all of them.
// test run target=sm_80
// 32 x 32 numbers of A and of B: 4096 bytes each, of which an instruction takes 16 a lane: 8 + 8. 16x8x8 does them in 2 * 4 * 4.
// expect sm_80: mma 32, matrix loads 16, shared loads 16, bank conflicts 0
// lanewise.args a = integers(-3, 3, 64, 128), b = integers(-3, 3, 64, 128), c = empty(64, 64); grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @tf32_by_columns(%a: memref<64x128xf32>, %b: memref<64x128xf32>, %c: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 32 : index
  %depth = arith.constant 128 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<64x64xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<64x128xf32>, vector<64x32xf32>
    %s = vector.transfer_read %b[%c0, %k], %p {in_bounds = [true, true]} : memref<64x128xf32>, vector<64x32xf32>
    %d = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>, lanewise.tf32} %l, %s, %sum : vector<64x32xf32>, vector<64x32xf32> into vector<64x64xf32>
    scf.yield %d : vector<64x64xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// Rows of B go along N, and a lane's words are in different ones: it reads each by itself, 32 x 32 numbers by 32 accesses. Eight lanes
// read neighbours, and four times eight of them four rows, which begin eight banks further on each.
// expect sm_80: mma 32, matrix loads 8, shared loads 40, bank conflicts 0
// lanewise.args a = integers(-3, 3, 64, 128), b = integers(-3, 3, 128, 64), c = empty(64, 64); grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @tf32_by_rows(%a: memref<64x128xf32>, %b: memref<128x64xf32>, %c: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 32 : index
  %depth = arith.constant 128 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<64x64xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<64x128xf32>, vector<64x32xf32>
    %s = vector.transfer_read %b[%k, %c0], %p {in_bounds = [true, true]} : memref<128x64xf32>, vector<32x64xf32>
    %d = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>, lanewise.tf32} %l, %s, %sum : vector<64x32xf32>, vector<32x64xf32> into vector<64x64xf32>
    scf.yield %d : vector<64x64xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// 32 x 128 bytes each, 8 + 8 again. 16x8x32 does them in 2 * 4 * 4.
// expect sm_80: mma 32, matrix loads 16, shared loads 16, bank conflicts 0
// lanewise.args a = integers(-3, 3, 64, 512), b = integers(-3, 3, 64, 512), c = empty(64, 64); grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @bytes(%a: memref<64x512xi8>, %b: memref<64x512xi8>, %c: memref<64x64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 128 : index
  %depth = arith.constant 512 : index
  %p = arith.constant 0 : i8
  %z = arith.constant dense<0> : vector<64x64xi32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<64x64xi32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<64x512xi8>, vector<64x128xi8>
    %s = vector.transfer_read %b[%c0, %k], %p {in_bounds = [true, true]} : memref<64x512xi8>, vector<64x128xi8>
    %d = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %l, %s, %sum : vector<64x128xi8>, vector<64x128xi8> into vector<64x64xi32>
    scf.yield %d : vector<64x64xi32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xi32>, memref<64x64xi32>
  gpu.return
}
