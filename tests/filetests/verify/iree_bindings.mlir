// What IREE's kernels bind, and what they state of numbers: every message.
// test verify
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>]>
func.func @spans(%n: index, %i: i32) {
  %0 = hal.interface.binding.subspan layout(#layout) binding(0) : memref<?xf32> // expected-error {{has 0 extents, memref<?xf32> leaves 1 open}}
  %1 = hal.interface.binding.subspan layout(#layout) binding(-1) : memref<4xf32> // expected-error {{sees binding -1, the layout has 1}}
  %2 = hal.interface.constant.load layout(#layout) ordinal(-1) : i32 // expected-error {{reads constant -1, the layout has 0}}
  %7 = hal.interface.binding.subspan layout(<constants = 1, bindings = [<storage_buffer>]>) binding(1) : memref<4xf32> // expected-error {{sees binding 1, the layout has 1}}
  %8 = hal.interface.constant.load layout(<constants = 1, bindings = []>) ordinal(1) : i32 // expected-error {{reads constant 1, the layout has 1}}
  %3 = hal.interface.workgroup.id[3] : index // expected-error {{dimension must be 0, 1 or 2, found 3}}
  %4 = "util.assume.int"(%n) <{assumptions = [[#util.int.assumption<umin = 1>]]}> : (index) -> i32 // expected-error {{results must have the operands' types, found i32}}
  %5 = "util.assume.int"(%n) <{assumptions = []}> : (index) -> index // expected-error {{has 0 assumptions for 1 operands}}
  %6 = "util.assume.int"(%n) <{assumptions = [[4]]}> : (index) -> index // expected-error {{assumptions are lists of #util.int.assumption}}
  return
}
// -----
// expected-error@+1 {{expected flags of None, ReadOnly, Indirect, found 'Written'}}
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, Written>]>
// -----
// expected-error@+1 {{expected one of uniform_buffer, storage_buffer, found 'buffer'}}
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<buffer>]>
// -----
// expected-error@+1 {{constants must not be negative, found -1}}
#layout = #hal.pipeline.layout<constants = -1, bindings = []>
// -----
// expected-error@+1 {{expected an attribute of PipelineBinding, found #hal.pipeline.layout<bindings = []>}}
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.layout<bindings = []>]>
