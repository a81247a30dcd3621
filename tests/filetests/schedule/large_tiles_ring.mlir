// Two tiles of each operand in the 99 KiB of a workgroup: rows that are 16 bytes longer, (64 * 200 + 192 * 72) * 2 bytes, would
// fit once. So pieces of 16 bytes change places in rows as they are, (64 + 64) * 192 * 2 bytes; nothing else needs memory.
// test run target=sm_120a
// Of 24 copies of each of 128 threads for a tile there are two, before the loop and in it. 64 / 16 * 64 / 8 * 192 / 16 products
// of four subgroups.
// expect sm_120a: shared bytes 98304, copies 48, mma 96, loop conversions 0, bank conflicts 0
// lanewise.args a = integers(-3, 3, 64, 576), b = integers(-3, 3, 576, 64), c = empty(64, 64); grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @twice(%a: memref<64x576xf16>, %b: memref<576x64xf16>, %c: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 192 : index
  %depth = arith.constant 576 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<64x64xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<64x576xf16>, vector<64x192xf16>
    %s = vector.transfer_read %b[%k, %c0], %p {in_bounds = [true, true]} : memref<576x64xf16>, vector<192x64xf16>
    %d = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %l, %s, %sum : vector<64x192xf16>, vector<192x64xf16> into vector<64x64xf32>
    scf.yield %d : vector<64x64xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
