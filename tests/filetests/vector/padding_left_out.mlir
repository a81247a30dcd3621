// A read without a padding reads zeros outside, as of old. It prints as a read with a constant in front of it.
// test roundtrip
// test run
// test run target=gfx1100
// prints ( ( 6, 7, 0 ), ( 10, 11, 0 ), ( 0, 0, 0 ) )
// prints ( 6, 6, 6, 6 )
// lanewise.args x = index(3, 4), 1, 2; grid = 1
func.func @k(%x: memref<?x?xi32>, %i: index, %j: index) attributes {
    translation_info = #iree_codegen.translation_info<
      pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 32>} {
  %part = vector.transfer_read %x[%i, %j] : memref<?x?xi32>, vector<3x3xi32>
  vector.print %part : vector<3x3xi32>
  %one = vector.transfer_read %x[%i, %j] {permutation_map: (d0, d1) -> (0)} : memref<?x?xi32>, vector<4xi32>
  vector.print %one : vector<4xi32>
  return
}
