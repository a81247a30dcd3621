// A kernel as IREE has it: what a launch binds becomes arguments, bindings first, then constants.
// test roundtrip
// test run
// test run target=gfx942
// lanewise.args N = 70: x = index(N, 16), y = empty(N, 16), n = N; grid = ceildiv(N, 8)
#layout = #hal.pipeline.layout<constants = 1, bindings = [
  #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer>], flags = Indirect>
#translation = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [64, 1, 1]>
func.func @doubled() attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %p = arith.constant 0.0 : f32
  %n32 = hal.interface.constant.load layout(#layout) ordinal(0) : i32
  %any = arith.index_castui %n32 : i32 to index
  %n = util.assume.int %any[<umin = 1, umax = 4096, udiv = 2>, <umin = 6, umax = 6>] : index
  %y = hal.interface.binding.subspan layout(#layout) binding(1) alignment(64) offset(%c0) flags(Indirect)
      : memref<?x16xf32, #hal.descriptor_type<storage_buffer>>{%n}
  %x = hal.interface.binding.subspan layout(#layout) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect")
      : memref<?x16xf32, #hal.descriptor_type<storage_buffer>>{%n}
  %again = hal.interface.binding.subspan layout(#layout) binding(0)
      : memref<?x16xf32, #hal.descriptor_type<storage_buffer>>{%n}
  %id = hal.interface.workgroup.id[0] upper_bound 65535 : index
  %row = arith.muli %id, %c8 : index
  %a = vector.transfer_read %x[%row, %c0], %p : memref<?x16xf32, #hal.descriptor_type<storage_buffer>>, vector<8x16xf32>
  %b = vector.transfer_read %again[%row, %c0], %p
      : memref<?x16xf32, #hal.descriptor_type<storage_buffer>>, vector<8x16xf32>
  %sum = arith.addf %a, %b : vector<8x16xf32>
  vector.transfer_write %sum, %y[%row, %c0] : vector<8x16xf32>, memref<?x16xf32, #hal.descriptor_type<storage_buffer>>
  return
}
