// What a program keeps in shared memory itself is read there by instructions of four subgroups, where that means the same.
// test run target=sm_90a
// Its own buffers, one of them with the order written out: 32 / 16 instructions, nothing is loaded from shared memory.
// expect sm_90a: wgmma 2, shared loads 0, barriers 1, conversions 0, bank conflicts 0
// lanewise.args a = integers(-3, 3, 64, 32), b = integers(-3, 3, 16, 32), c = empty(64, 16) ; grid = 1
#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (n, k)>
#sums = affine_map<(m, n, k) -> (m, n)>
gpu.func @own_buffers(%a: memref<64x32xf16>, %b: memref<16x32xf16>, %c: memref<64x16xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x16xf32>
  %ta = memref.alloc() : memref<64x32xf16, #gpu.address_space<workgroup>>
  %tb = memref.alloc() {iree_codegen.swizzle = #iree_codegen.xor_shuffle<32, 8, 32, 2>} : memref<16x32xf16, #gpu.address_space<workgroup>>
  %v = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x32xf16>, vector<64x32xf16>
  %w = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x32xf16>, vector<16x32xf16>
  vector.transfer_write %v, %ta[%c0, %c0] {in_bounds = [true, true]} : vector<64x32xf16>, memref<64x32xf16, #gpu.address_space<workgroup>>
  vector.transfer_write %w, %tb[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf16>, memref<16x32xf16, #gpu.address_space<workgroup>>
  %l = vector.transfer_read %ta[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<64x32xf16>
  %s = vector.transfer_read %tb[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x32xf16, #gpu.address_space<workgroup>>, vector<16x32xf16>
  %d = vector.contract {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"],
    kind = #vector.kind<add>} %l, %s, %z : vector<64x32xf16>, vector<16x32xf16> into vector<64x16xf32>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x16xf32>, memref<64x16xf32>
  gpu.return
}
// -----
// A buffer is written between the read and the product, which has to see what was there before: A goes to registers.
// expect sm_90a: wgmma 2, matrix loads >= 1
// lanewise.args a = integers(-3, 3, 64, 32), b = integers(-3, 3, 16, 32), c = empty(64, 16) ; grid = 1
#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (n, k)>
#sums = affine_map<(m, n, k) -> (m, n)>
gpu.func @written_in_between(%a: memref<64x32xf16>, %b: memref<16x32xf16>, %c: memref<64x16xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x16xf32>
  %other = arith.constant dense<9.0> : vector<64x32xf16>
  %ta = memref.alloc() : memref<64x32xf16, #gpu.address_space<workgroup>>
  %tb = memref.alloc() : memref<16x32xf16, #gpu.address_space<workgroup>>
  %v = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x32xf16>, vector<64x32xf16>
  %w = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x32xf16>, vector<16x32xf16>
  vector.transfer_write %v, %ta[%c0, %c0] {in_bounds = [true, true]} : vector<64x32xf16>, memref<64x32xf16, #gpu.address_space<workgroup>>
  vector.transfer_write %w, %tb[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf16>, memref<16x32xf16, #gpu.address_space<workgroup>>
  %l = vector.transfer_read %ta[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<64x32xf16>
  %s = vector.transfer_read %tb[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x32xf16, #gpu.address_space<workgroup>>, vector<16x32xf16>
  vector.transfer_write %other, %ta[%c0, %c0] {in_bounds = [true, true]} : vector<64x32xf16>, memref<64x32xf16, #gpu.address_space<workgroup>>
  %d = vector.contract {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"],
    kind = #vector.kind<add>} %l, %s, %z : vector<64x32xf16>, vector<16x32xf16> into vector<64x16xf32>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x16xf32>, memref<64x16xf32>
  gpu.return
}
// -----
// Threads need the elements of A besides: they are held, and the product is done by instructions of one subgroup.
// expect sm_90a: wgmma 0
// lanewise.args a = integers(-3, 3, 64, 32), b = integers(-3, 3, 16, 32), c = empty(64, 16), e = empty(64, 32) ; grid = 1
#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (n, k)>
#sums = affine_map<(m, n, k) -> (m, n)>
gpu.func @held_as_well(%a: memref<64x32xf16>, %b: memref<16x32xf16>, %c: memref<64x16xf32>, %e: memref<64x32xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x16xf32>
  %ta = memref.alloc() : memref<64x32xf16, #gpu.address_space<workgroup>>
  %tb = memref.alloc() : memref<16x32xf16, #gpu.address_space<workgroup>>
  %v = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x32xf16>, vector<64x32xf16>
  %w = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x32xf16>, vector<16x32xf16>
  vector.transfer_write %v, %ta[%c0, %c0] {in_bounds = [true, true]} : vector<64x32xf16>, memref<64x32xf16, #gpu.address_space<workgroup>>
  vector.transfer_write %w, %tb[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf16>, memref<16x32xf16, #gpu.address_space<workgroup>>
  %l = vector.transfer_read %ta[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<64x32xf16>
  %s = vector.transfer_read %tb[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x32xf16, #gpu.address_space<workgroup>>, vector<16x32xf16>
  %d = vector.contract {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"],
    kind = #vector.kind<add>} %l, %s, %z : vector<64x32xf16>, vector<16x32xf16> into vector<64x16xf32>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x16xf32>, memref<64x16xf32>
  vector.transfer_write %l, %e[%c0, %c0] {in_bounds = [true, true]} : vector<64x32xf16>, memref<64x32xf16>
  gpu.return
}
