// Bindings that cannot be a kernel's arguments: every message.
// test compile
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>]>
#how = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [32, 1, 1]>
func.func @both(%x: memref<4xf32>) attributes {translation_info = #how} { // expected-error {{has arguments and bindings: a kernel has one or the other}}
  %0 = hal.interface.binding.subspan layout(#layout) binding(0) : memref<4xf32>
  return
}
// -----
#b = #hal.pipeline.binding<storage_buffer>
#layout = #hal.pipeline.layout<constants = 1, bindings = [#b, #b, #b, #b, #b, #hal.pipeline.binding<storage_buffer, ReadOnly>, <uniform_buffer>]>
#how = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [32, 1, 1]>
func.func @views() attributes {translation_info = #how} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %v = arith.constant 1.0 : f32
  %0 = hal.interface.binding.subspan layout(#layout) binding(0) : memref<4xf32>
  %1 = hal.interface.binding.subspan layout(#layout) binding(0) : memref<8xf16> // expected-error {{sees binding 0 under two types of elements, memref<8xf16> and memref<4xf32>}}
  %2 = hal.interface.binding.subspan layout(#layout) binding(1) offset(%c64) : memref<8xf32> // expected-error {{starts inside its binding: its type needs the offset 16, found memref<8xf32>}}
  %six = arith.constant 6 : index
  %a = hal.interface.binding.subspan layout(#layout) binding(3) offset(%six) : memref<8xf32, strided<[1], offset: ?>> // expected-error {{starts 6 bytes inside its binding, which is no whole element of f32}}
  %b = hal.interface.binding.subspan layout(#layout) binding(4) offset(%c64) : memref<8x4xf32, strided<[8, 1], offset: 16>> // expected-error {{sees rows of a binding without gaps}}
  %3 = hal.interface.binding.subspan layout(#layout) binding(2) flags(ReadOnly) : memref<8xf32> // expected-error {{says that binding 2 is only read, but the kernel writes it}}
  memref.store %v, %3[%c0] : memref<8xf32>
  %c = hal.interface.binding.subspan layout(#layout) binding(5) : memref<8xf32> // expected-error {{says that binding 5 is only read, but the kernel writes it}}
  memref.store %v, %c[%c0] : memref<8xf32>
  %d = hal.interface.binding.subspan layout(#layout) binding(6) : memref<8xf32> // expected-error {{says that binding 6 is only read, but the kernel writes it}}
  memref.store %v, %d[%c0] : memref<8xf32>
  %4 = hal.interface.constant.load layout(#layout) ordinal(0) : i32
  %5 = hal.interface.constant.load layout(#layout) ordinal(0) : i64 // expected-error {{reads constant 0 as two types, i64 and i32}}
  %6 = "hal.interface.constant.load"() <{layout = #layout, ordinal = 0 : index, values = [1 : i32, 2 : i32]}> : () -> i32 // expected-error {{has the attribute 'values', which lanewise does not obey}}
  return
}
