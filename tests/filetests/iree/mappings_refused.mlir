// Workgroups that a launch does not have, and digits of one of its numbers.
// test layout
gpu.func @split(%x: memref<4xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %z = arith.constant 0.0 : f32
  scf.forall (%i) in (4) { // expected-error {{maps to #iree_linalg_ext.split_reduction_mapping<0>: a launch here has no workgroups beside those of its grid}}
    memref.store %z, %x[%i] : memref<4xf32>
  } {mapping = [#iree_linalg_ext.split_reduction_mapping<0>]}
  gpu.return
}
// -----
gpu.func @digits(%x: memref<4x2xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %z = arith.constant 0.0 : f32
  scf.forall (%i, %j) in (4, 2) { // expected-error {{maps to #iree_codegen.workgroup_mapping<z:1>, a digit of a workgroup's z}}
    memref.store %z, %x[%i, %j] : memref<4x2xf32>
  } {mapping = [#iree_codegen.workgroup_mapping<z:1>, #iree_codegen.workgroup_mapping<z:0>]}
  gpu.return
}
