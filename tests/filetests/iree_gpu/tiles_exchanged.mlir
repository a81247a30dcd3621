// What lanes hold of a product whose operands are exchanged (`col_major`): neighbours of a row of C, which are one access.
// test roundtrip
// test run target=gfx942 data=written,exact
// lanewise.args A = normal(16, 16), B = normal(16, 16), C = empty(16, 16)
// expect gfx942: mma 1, loads 2, stores 1
gpu.func @lanes(%A: memref<16x16xf16>, %B: memref<16x16xf16>, %C: memref<16x16xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c4 = arith.constant 4 : index
  %l = gpu.lane_id
  %hi, %lo = affine.delinearize_index %l into (4, 16) : index, index
  %k = arith.muli %hi, %c4 : index
  %p = arith.constant 0.0 : f16
  %a = vector.transfer_read %A[%lo, %k], %p {in_bounds = [true]} : memref<16x16xf16>, vector<4xf16>
  %b = vector.transfer_read %B[%lo, %k], %p {in_bounds = [true]} : memref<16x16xf16>, vector<4xf16>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %d = iree_codegen.inner_tiled ins(%a, %b) outs(%zero) {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = [],
    kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16, col_major = true>,
    semantics = #iree_gpu.mma_semantics<distributed = true, opaque = false>} : vector<4xf16>, vector<4xf16> into vector<4xf32>
  vector.transfer_write %d, %C[%lo, %k] {in_bounds = [true]} : vector<4xf32>, memref<16x16xf32>
  gpu.return
}
