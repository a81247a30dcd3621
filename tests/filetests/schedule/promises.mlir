// What holds in a loop's iterations need not hold in the next one.
// test run
// test run target=gfx1100
// A difference that is promised not to be negative is so in the iterations that there are: the last tile is read again.
// expect sm_80: layout vector.transfer_read 6, layout arith.select 1
// lanewise.args a = integers(-3, 3, 32, 48), b = integers(-3, 3, 48, 32), c = empty(32, 32)
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @f(%A: memref<32x48xf16>, %B: memref<48x32xf16>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c48 = arith.constant 48 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<32x32xf32>
  %sum = scf.for %k = %c0 to %c48 step %c16 iter_args(%acc = %zero) -> (vector<32x32xf32>) {
    %x = arith.subi %c32, %k overflow<nuw> : index
    %a = vector.transfer_read %A[%c0, %x], %pad : memref<32x48xf16>, vector<32x16xf16>
    %b = vector.transfer_read %B[%x, %c0], %pad : memref<48x32xf16>, vector<16x32xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %acc : vector<32x16xf16>, vector<16x32xf16> into vector<32x32xf32>
    scf.yield %next : vector<32x32xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
// -----
// So is a number that is assumed to be in a range.
// expect sm_80: layout vector.transfer_read 6, layout arith.select 1
// lanewise.args a = integers(-3, 3, 32, 48), b = integers(-3, 3, 48, 32), c = empty(32, 32)
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @f(%A: memref<32x48xf16>, %B: memref<48x32xf16>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c48 = arith.constant 48 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<32x32xf32>
  %sum = scf.for %k = %c0 to %c48 step %c16 iter_args(%acc = %zero) -> (vector<32x32xf32>) {
    %x = util.assume.int %k<umin = 0, umax = 32, udiv = 16> : index
    %a = vector.transfer_read %A[%c0, %x], %pad : memref<32x48xf16>, vector<32x16xf16>
    %b = vector.transfer_read %B[%x, %c0], %pad : memref<48x32xf16>, vector<16x32xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %acc : vector<32x16xf16>, vector<16x32xf16> into vector<32x32xf32>
    scf.yield %next : vector<32x32xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
// -----
// Nothing is assumed where no iteration is.
// expect sm_80: layout vector.transfer_read 4
// lanewise.args a = integers(-3, 3, 32, 48), b = integers(-3, 3, 48, 32), c = empty(32, 32), low = 1600, high = 0
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @f(%A: memref<32x48xf16>, %B: memref<48x32xf16>, %C: memref<32x32xf32>, %low: index, %high: index) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c48 = arith.constant 48 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<32x32xf32>
  %sum = scf.for %k = %low to %high step %c16 iter_args(%acc = %zero) -> (vector<32x32xf32>) {
    %x = util.assume.int %k<umin = 0, umax = 32, udiv = 16> : index
    %a = vector.transfer_read %A[%c0, %x], %pad : memref<32x48xf16>, vector<32x16xf16>
    %b = vector.transfer_read %B[%x, %c0], %pad : memref<48x32xf16>, vector<16x32xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %acc : vector<32x16xf16>, vector<16x32xf16> into vector<32x32xf32>
    scf.yield %next : vector<32x32xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
// -----
// The tile behind the last is another workgroup's, which writes it: there may be no iteration, so only B is read ahead.
// expect sm_75: layout vector.transfer_read 5
// lanewise.args a = integers(-3, 3, 32, 96), b = integers(-3, 3, 96, 32), c = empty(2, 32, 32) ; grid = 2
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @f(%A: memref<32x96xf16>, %B: memref<96x32xf16>, %C: memref<2x32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c48 = arith.constant 48 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<32x32xf32>
  %w = gpu.block_id x
  %low = arith.muli %w, %c48 : index
  %high = arith.addi %low, %c48 : index
  %ones = arith.constant dense<1.0> : vector<32x48xf16>
  %sum = scf.for %k = %low to %high step %c16 iter_args(%acc = %zero) -> (vector<32x32xf32>) {
    %a = vector.transfer_read %A[%c0, %k], %pad : memref<32x96xf16>, vector<32x16xf16>
    %b = vector.transfer_read %B[%k, %c0], %pad : memref<96x32xf16>, vector<16x32xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %acc : vector<32x16xf16>, vector<16x32xf16> into vector<32x32xf32>
    scf.yield %next : vector<32x32xf32>
  }
  vector.transfer_write %ones, %A[%c0, %low] {in_bounds = [true, true]} : vector<32x48xf16>, memref<32x96xf16>
  vector.transfer_write %sum, %C[%w, %c0, %c0] : vector<32x32xf32>, memref<2x32x32xf32>
  gpu.return
}
// -----
// A quotient says nothing of a divisor of zero, which the iteration behind the last would have.
// expect sm_80: layout vector.transfer_read 6, layout arith.select 1
// lanewise.args a = integers(-3, 3, 32, 48), b = integers(-3, 3, 48, 32), c = empty(32, 32)
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @f(%A: memref<32x48xf16>, %B: memref<48x32xf16>, %C: memref<32x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c48 = arith.constant 48 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<32x32xf32>
  %sum = scf.for %k = %c0 to %c48 step %c16 iter_args(%acc = %zero) -> (vector<32x32xf32>) {
    %rest = arith.subi %c48, %k : index
    %part = arith.divui %c48, %rest : index
    %whole = arith.muli %part, %rest : index
    %over = arith.subi %whole, %whole : index
    %x = arith.addi %over, %k : index
    %a = vector.transfer_read %A[%c0, %x], %pad : memref<32x48xf16>, vector<32x16xf16>
    %b = vector.transfer_read %B[%x, %c0], %pad : memref<48x32xf16>, vector<16x32xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %acc : vector<32x16xf16>, vector<16x32xf16> into vector<32x32xf32>
    scf.yield %next : vector<32x32xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}
