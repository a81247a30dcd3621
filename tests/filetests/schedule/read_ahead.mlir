// test run
// test run target=gfx942
// What is read ahead in the last iteration is inside of memory, as the program promises: it is the same tile again.
// expect sm_75: layout memref.alloc 2, layout vector.transfer_read 6, conversions 0, layout arith.select 1
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
// Places are computed from a counter that is no index.
// expect sm_75: layout memref.alloc 2, layout vector.transfer_read 6
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
  %low = arith.constant 0 : i32
  %high = arith.constant 3 : i32
  %one = arith.constant 1 : i32
  %sum = scf.for %i = %low to %high step %one iter_args(%acc = %zero) -> (vector<32x32xf32>) : i32 {
    %number = arith.index_cast %i : i32 to index
    %k = arith.muli %number, %c16 : index
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
// The author's own copy through shared memory is read ahead alike.
// expect sm_75: layout memref.alloc 1, layout vector.transfer_read 4
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
  %tile = memref.alloc() : memref<32x24xf16, #gpu.address_space<workgroup>>
  %b = vector.transfer_read %B[%c0, %c0], %pad {in_bounds = [true, true]} : memref<48x32xf16>, vector<16x32xf16>
  %sum = scf.for %k = %c0 to %end step %c16 iter_args(%acc = %zero) -> (vector<32x32xf32>) {
    %copy = vector.transfer_read %A[%c0, %k], %pad {in_bounds = [true, true]} : memref<32x48xf16>, vector<32x16xf16>
    vector.transfer_write %copy, %tile[%c0, %c0] {in_bounds = [true, true]} : vector<32x16xf16>, memref<32x24xf16, #gpu.address_space<workgroup>>
    %a = vector.transfer_read %tile[%c0, %c0], %pad {in_bounds = [true, true]} : memref<32x24xf16, #gpu.address_space<workgroup>>, vector<32x16xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %acc : vector<32x16xf16>, vector<16x32xf16> into vector<32x32xf32>
    scf.yield %next : vector<32x32xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
// -----
// Operands that are extended on their way, and one tile for two uses.
// expect sm_75: layout memref.alloc 2, layout vector.transfer_read 6
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
    %a = vector.transfer_read %A[%c0, %k], %pad {in_bounds = [true, true]} : memref<32x48xf16>, vector<32x16xf16>
    %b = vector.transfer_read %B[%k, %c0], %pad {in_bounds = [true, true]} : memref<48x32xf16>, vector<16x32xf16>
    %wide_a = arith.extf %a : vector<32x16xf16> to vector<32x16xf32>
    %wide_b = arith.extf %b : vector<16x32xf16> to vector<16x32xf32>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %wide_a, %wide_b, %acc : vector<32x16xf32>, vector<16x32xf32> into vector<32x32xf32>
    scf.yield %next : vector<32x32xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
