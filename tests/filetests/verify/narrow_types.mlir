// What elements of less than a byte cannot be.
// test verify
func.func @f(%a: memref<64xi8, #gpu.address_space<workgroup>>, %i: index) {
  %0 = memref.view %a[%i][] : memref<64xi8, #gpu.address_space<workgroup>> to memref<128xi4, #gpu.address_space<workgroup>>
  // expected-error@-1 {{bytes are not seen as i4, of which one holds several: use vector.bitcast}}
  return
}
// -----
func.func @f(%a: f32) -> i16 {
  %0 = arith.truncf %a : f32 to tf32
  %1 = arith.bitcast %0 : tf32 to i16 // expected-error {{operand and result must have one bit width, found tf32 and i16}}
  return %1 : i16
}
// -----
func.func @f(%a: i4) -> i4 {
  %0 = arith.extsi %a : i4 to i4 // expected-error {{the result must be wider than the operand, found i4 to i4}}
  return %0 : i4
}
