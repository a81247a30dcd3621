// Packed elements through a buffer in workgroup memory, which is half as large as bytes would be: 16 * 64 / 2 = 512.
// test run target=sm_80
// test run target=gfx942
// expect sm_80: shared bytes 512
// Subgroups of 64 exchange what was read, a byte for each of 16 * 64 elements, before they write it.
// expect gfx942: shared bytes 1536
// lanewise.args x = special(), y = empty()
#shared = #gpu.address_space<workgroup>
gpu.func @turned(%x: memref<16x64xi4>, %y: memref<64x16xi4>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i4
  %s = memref.alloc() : memref<16x64xi4, #shared>
  %v = vector.transfer_read %x[%c0, %c0], %p : memref<16x64xi4>, vector<16x64xi4>
  vector.transfer_write %v, %s[%c0, %c0] : vector<16x64xi4>, memref<16x64xi4, #shared>
  %w = vector.transfer_read %s[%c0, %c0], %p {permutation_map = affine_map<(d0, d1) -> (d1, d0)>}
    : memref<16x64xi4, #shared>, vector<64x16xi4>
  vector.transfer_write %w, %y[%c0, %c0] : vector<64x16xi4>, memref<64x16xi4>
  gpu.return
}
// -----
// As many elements as threads: half of the threads write a whole byte each.
// lanewise.args x = integers(-8, 7, 64), y = empty(64)
gpu.module @m {
  gpu.func @k(%x: memref<64xi4>, %y: memref<64xi4>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0 : i4
    %s = memref.alloc() : memref<64xi4, #gpu.address_space<workgroup>>
    %v = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xi4>, vector<64xi4>
    vector.transfer_write %v, %s[%c0] {in_bounds = [true]} : vector<64xi4>, memref<64xi4, #gpu.address_space<workgroup>>
    %w = vector.transfer_read %s[%c0], %p {in_bounds = [true]} : memref<64xi4, #gpu.address_space<workgroup>>, vector<64xi4>
    vector.transfer_write %w, %y[%c0] {in_bounds = [true]} : vector<64xi4>, memref<64xi4>
    gpu.return
  }
}
