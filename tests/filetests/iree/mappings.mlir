// IREE's mappings of loops: to workgroups by coordinate, and to one owner, who does all iterations.
// test roundtrip
// test run
// test run target=gfx942
// lanewise.args x = normal(5, 64), y = empty(5, 64); grid = (1, 2, 1)
gpu.func @k(%x: memref<5x64xf32>, %y: memref<5x64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %p = arith.constant 0.0 : f32
  %c32 = arith.constant 32 : index
  scf.forall (%i) in (5) {
    scf.forall (%j) in (2) {
      %at = arith.muli %j, %c32 : index
      %v = vector.transfer_read %x[%i, %at], %p {in_bounds = [true]} : memref<5x64xf32>, vector<32xf32>
      %w = arith.addf %v, %v : vector<32xf32>
      vector.transfer_write %w, %y[%i, %at] {in_bounds = [true]} : vector<32xf32>, memref<5x64xf32>
    } {mapping = [#iree_codegen.local_mapping<0>]}
  } {mapping = [#iree_codegen.workgroup_mapping<y>]}
  gpu.return
}
