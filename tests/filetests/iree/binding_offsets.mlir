// One binding seen from several places: an offset that the program states, one that a launch says, and its start.
// test roundtrip
// test run target=sm_90
// test run target=gfx942
// test run target=sm_80
// test run target=gfx1100
// lanewise.args binding0 = index(96), y = empty(32), n = 128
// Bytes 64 on are elements 16 on; 128 bytes, elements 32 on: y = x[0:16] + x[16:32] and x[32:48].
#layout = #hal.pipeline.layout<constants = 1, bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>
#translation = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [32, 1, 1]>
func.func @parts() attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %p = arith.constant 0.0 : f32
  %n32 = hal.interface.constant.load layout(#layout) ordinal(0) : i32
  %n = arith.index_castui %n32 : i32 to index
  %start = hal.interface.binding.subspan layout(#layout) binding(0) alignment(64) offset(%c0) flags(ReadOnly) : memref<4x4xf32, #hal.descriptor_type<storage_buffer>>
  %near = hal.interface.binding.subspan layout(#layout) binding(0) alignment(64) offset(%c64) flags(ReadOnly) : memref<?xf32, strided<[1], offset: 16>, #hal.descriptor_type<storage_buffer>>{%c16}
  %far = hal.interface.binding.subspan layout(#layout) binding(0) alignment(64) offset(%n) flags(ReadOnly) : memref<16xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
  %y = hal.interface.binding.subspan layout(#layout) binding(1) alignment(64) offset(%c0) : memref<32xf32, #hal.descriptor_type<storage_buffer>>
  %rows = vector.transfer_read %start[%c0, %c0], %p {in_bounds = [true, true]} : memref<4x4xf32, #hal.descriptor_type<storage_buffer>>, vector<4x4xf32>
  %a = vector.shape_cast %rows : vector<4x4xf32> to vector<16xf32>
  %b = vector.transfer_read %near[%c0], %p {in_bounds = [true]} : memref<?xf32, strided<[1], offset: 16>, #hal.descriptor_type<storage_buffer>>, vector<16xf32>
  %c = vector.transfer_read %far[%c0], %p {in_bounds = [true]} : memref<16xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>, vector<16xf32>
  %sum = arith.addf %a, %b : vector<16xf32>
  vector.transfer_write %sum, %y[%c0] {in_bounds = [true]} : vector<16xf32>, memref<32xf32, #hal.descriptor_type<storage_buffer>>
  vector.transfer_write %c, %y[%c16] {in_bounds = [true]} : vector<16xf32>, memref<32xf32, #hal.descriptor_type<storage_buffer>>
  return
}
