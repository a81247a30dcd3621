// What IREE's kernels bind, and what they state of numbers: every message.
// test verify
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>]>
func.func @spans(%n: index, %i: i32) {
  %0 = hal.interface.binding.subspan layout(#layout) binding(0) : memref<?xf32> // expected-error {{has 0 extents, memref<?xf32> leaves 1 open}}
  %1 = hal.interface.binding.subspan layout(#layout) binding(-1) : memref<4xf32> // expected-error {{binding must not be negative, found -1}}
  %2 = hal.interface.constant.load layout(#layout) ordinal(-1) : i32 // expected-error {{ordinal must not be negative, found -1}}
  %3 = hal.interface.workgroup.id[3] : index // expected-error {{dimension must be 0, 1 or 2, found 3}}
  %4 = "util.assume.int"(%n) <{assumptions = [[#util.int.assumption<umin = 1>]]}> : (index) -> i32 // expected-error {{results must have the operands' types, found i32}}
  %5 = "util.assume.int"(%n) <{assumptions = []}> : (index) -> index // expected-error {{has 0 assumptions for 1 operands}}
  %6 = "util.assume.int"(%n) <{assumptions = [[4]]}> : (index) -> index // expected-error {{assumptions are lists of #util.int.assumption}}
  return
}
