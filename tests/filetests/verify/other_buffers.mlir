// Buffers that share nothing are those that are given; rows grow within one memory; some block ends.
// test verify
func.func @f(%x: memref<64xf32>, %n: index) {
  // expected-error@+1 {{gives back the buffers that it takes, memref<64xf32>, found memref<32xf32>}}
  %0 = "memref.distinct_objects"(%x) : (memref<64xf32>) -> memref<32xf32>
  // expected-error@+1 {{memref<64xf32> and memref<65xi32> differ in more than their size}}
  %1 = memref.realloc %x : memref<64xf32> to memref<65xi32>
  // expected-error@+1 {{takes a size where memref<65xf32> leaves it open, and only there}}
  %2 = memref.realloc %x(%n) : memref<64xf32> to memref<65xf32>
  return
}
// -----
func.func @g() {
  // expected-error@+1 {{ends the only block of its region, which then never ends}}
  ub.unreachable
}
