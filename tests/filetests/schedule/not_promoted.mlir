// test run
// The loop writes what it reads.
// expect sm_80: layout memref.alloc 0
// lanewise.args a = integers(-3, 3, 32, 48), b = integers(-3, 3, 48, 32), c = empty(32, 32) ; grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @f(%A: memref<32x48xf16>, %B: memref<48x32xf16>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %ones = arith.constant dense<1.0> : vector<32x16xf16>
  %more = arith.constant dense<2.0> : vector<16x32xf16>
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<32x32xf32>
  %end = arith.constant 48 : index
  %sum = scf.for %k = %c0 to %end step %c16 iter_args(%acc = %zero) -> (vector<32x32xf32>) {
    %a = vector.transfer_read %A[%c0, %k], %pad {in_bounds = [true, true]} : memref<32x48xf16>, vector<32x16xf16>
    %b = vector.transfer_read %B[%k, %c0], %pad {in_bounds = [true, true]} : memref<48x32xf16>, vector<16x32xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %acc : vector<32x16xf16>, vector<16x32xf16> into vector<32x32xf32>
    vector.transfer_write %ones, %A[%c0, %c0] {in_bounds = [true, true]} : vector<32x16xf16>, memref<32x48xf16>
    vector.transfer_write %more, %B[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf16>, memref<48x32xf16>
    scf.yield %next : vector<32x32xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
// -----
// The tile that is read depends on what the loop carries.
// expect sm_80: layout memref.alloc 1
// lanewise.args a = integers(-3, 3, 32, 48), b = integers(-3, 3, 48, 32), c = empty(32, 32) ; grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @f(%A: memref<32x48xf16>, %B: memref<48x32xf16>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<32x32xf32>
  %end = arith.constant 48 : index
  %r:2 = scf.for %i = %c0 to %end step %c16 iter_args(%acc = %zero, %k = %c0) -> (vector<32x32xf32>, index) {
    %a = vector.transfer_read %A[%c0, %i], %pad {in_bounds = [true, true]} : memref<32x48xf16>, vector<32x16xf16>
    %b = vector.transfer_read %B[%k, %c0], %pad {in_bounds = [true, true]} : memref<48x32xf16>, vector<16x32xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %acc : vector<32x16xf16>, vector<16x32xf16> into vector<32x32xf32>
    %further = arith.addi %k, %c16 : index
    scf.yield %next, %further : vector<32x32xf32>, index
  }
  vector.transfer_write %r#0, %C[%c0, %c0] : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
// -----
// One subgroup: no other thread needs the tile.
// expect sm_80: layout memref.alloc 0
// lanewise.args a = integers(-3, 3, 32, 48), b = integers(-3, 3, 48, 32), c = empty(32, 32) ; grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @f(%A: memref<32x48xf16>, %B: memref<48x32xf16>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<32x32xf32>
  %end = arith.constant 48 : index
  %sum = scf.for %k = %c0 to %end step %c16 iter_args(%acc = %zero) -> (vector<32x32xf32>) {
    %a = vector.transfer_read %A[%c0, %k], %pad {in_bounds = [true, true]} : memref<32x48xf16>, vector<32x16xf16>
    %b = vector.transfer_read %B[%k, %c0], %pad {in_bounds = [true, true]} : memref<48x32xf16>, vector<16x32xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %acc : vector<32x16xf16>, vector<16x32xf16> into vector<32x32xf32>
    scf.yield %next : vector<32x32xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
// -----
// What is read is used for more than products.
// expect sm_75: layout memref.alloc 1, layout vector.transfer_read 4
// lanewise.args a = integers(-3, 3, 32, 48), b = integers(-3, 3, 48, 32), s = empty(32, 16), c = empty(32, 32) ; grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @f(%A: memref<32x48xf16>, %B: memref<48x32xf16>, %S: memref<32x16xf16>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0.0> : vector<32x16xf16>
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<32x32xf32>
  %end = arith.constant 48 : index
  %r:2 = scf.for %k = %c0 to %end step %c16 iter_args(%acc = %zero, %total = %none) -> (vector<32x32xf32>, vector<32x16xf16>) {
    %a = vector.transfer_read %A[%c0, %k], %pad {in_bounds = [true, true]} : memref<32x48xf16>, vector<32x16xf16>
    %b = vector.transfer_read %B[%k, %c0], %pad {in_bounds = [true, true]} : memref<48x32xf16>, vector<16x32xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %acc : vector<32x16xf16>, vector<16x32xf16> into vector<32x32xf32>
    %t = arith.addf %total, %a : vector<32x16xf16>
    scf.yield %next, %t : vector<32x32xf32>, vector<32x16xf16>
  }
  vector.transfer_write %r#0, %C[%c0, %c0] : vector<32x32xf32>, memref<32x32xf32>
  vector.transfer_write %r#1, %S[%c0, %c0] : vector<32x16xf16>, memref<32x16xf16>
  gpu.return
}
// -----
// A tile that no iteration changes stays in registers.
// expect sm_80: layout memref.alloc 1
// lanewise.args a = integers(-3, 3, 32, 48), b = integers(-3, 3, 48, 32), c = empty(32, 32) ; grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @f(%A: memref<32x48xf16>, %B: memref<48x32xf16>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<32x32xf32>
  %end = arith.constant 48 : index
  %sum = scf.for %k = %c0 to %end step %c16 iter_args(%acc = %zero) -> (vector<32x32xf32>) {
    %a = vector.transfer_read %A[%c0, %c0], %pad {in_bounds = [true, true]} : memref<32x48xf16>, vector<32x16xf16>
    %b = vector.transfer_read %B[%k, %c0], %pad {in_bounds = [true, true]} : memref<48x32xf16>, vector<16x32xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %acc : vector<32x16xf16>, vector<16x32xf16> into vector<32x32xf32>
    scf.yield %next : vector<32x32xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
// -----
// Few rows: an operand is used too few times.
// expect sm_80: layout memref.alloc 0
// lanewise.args a = integers(-3, 3, 8, 48), b = integers(-3, 3, 48, 32), c = empty(8, 32) ; grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @f(%A: memref<8x48xf16>, %B: memref<48x32xf16>, %C: memref<8x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %end = arith.constant 48 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<8x32xf32>
  %sum = scf.for %k = %c0 to %end step %c16 iter_args(%acc = %zero) -> (vector<8x32xf32>) {
    %a = vector.transfer_read %A[%c0, %k], %pad {in_bounds = [true, true]} : memref<8x48xf16>, vector<8x16xf16>
    %b = vector.transfer_read %B[%k, %c0], %pad {in_bounds = [true, true]} : memref<48x32xf16>, vector<16x32xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %acc : vector<8x16xf16>, vector<16x32xf16> into vector<8x32xf32>
    scf.yield %next : vector<8x32xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] : vector<8x32xf32>, memref<8x32xf32>
  gpu.return
}
