// test verify
func.func @scan(%x: f32, %i: f64, %n: index) {
  %right:2 = iree_gpu.subgroup_scan(%x, identity = %x) cluster(size = 4) {
  ^bb0(%l: f32, %r: f32):
    iree_gpu.yield %l : f32
  } : f32
  // expected-error@+1 {{exclusive scan requires an identity operand}}
  %0:2 = iree_gpu.subgroup_scan(%x) cluster(size = 4) {
  ^bb0(%l: f32, %r: f32):
    iree_gpu.yield %l : f32
  } : f32
  // expected-error@+1 {{identity must be f32 as the value, found f64}}
  %1:2 = iree_gpu.subgroup_scan(%x, identity = %i : f64) {
  ^bb0(%l: f32, %r: f32):
    iree_gpu.yield %l : f32
  } : f32
  // expected-error@+1 {{cluster size must be a power of two, found 3}}
  %2:2 = iree_gpu.subgroup_scan inclusive(%x) cluster(size = 3) {
  ^bb0(%l: f32, %r: f32):
    iree_gpu.yield %l : f32
  } : f32
  // expected-error@+1 {{cluster stride must be a power of two, found 5}}
  %3:2 = iree_gpu.subgroup_scan inclusive(%x) cluster(size = 4, stride = 5) {
  ^bb0(%l: f32, %r: f32):
    iree_gpu.yield %l : f32
  } : f32
  // expected-error@+1 {{has a cluster stride and no cluster size}}
  %4:2 = "iree_gpu.subgroup_scan"(%x) <{inclusive, cluster_stride = 2 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    iree_gpu.yield %l : f32
  }) : (f32) -> (f32, f32)
  // expected-error@+1 {{region takes two values of f32, found (f32)}}
  %5:2 = iree_gpu.subgroup_scan inclusive(%x) {
  ^bb0(%l: f32):
    iree_gpu.yield %l : f32
  } : f32
  // expected-error@+1 {{region yields one value of f32, found (f64)}}
  %6:2 = iree_gpu.subgroup_scan inclusive(%x) {
  ^bb0(%l: f32, %r: f32):
    iree_gpu.yield %i : f64
  } : f32
  // expected-error@+3 {{operand 'value' must be an integer or a float, found index}}
  // expected-error@+2 {{result 'scan' must be an integer or a float, found index}}
  // expected-error@+1 {{result 'total' must be an integer or a float, found index}}
  %7:2 = iree_gpu.subgroup_scan inclusive(%n) {
  ^bb0(%l: index, %r: index):
    iree_gpu.yield %l : index
  } : index
  // expected-error@+1 {{gives (f32, f32), found (f32, f64)}}
  %8:2 = "iree_gpu.subgroup_scan"(%x) <{inclusive}> ({
  ^bb0(%l: f32, %r: f32):
    iree_gpu.yield %l : f32
  }) : (f32) -> (f32, f64)
  // expected-error@+1 {{region must end in iree_gpu.yield}}
  %9:2 = iree_gpu.subgroup_scan inclusive(%x) {
  ^bb0(%l: f32, %r: f32):
    iree_vector_ext.yield %l : f32 // expected-error {{must end the comparator of an iree_vector_ext.arg_compare}}
  } : f32
  return
}
// -----
func.func @joins_alone(%x: f32, %m: memref<4xf32>, %i: index, %on: i1) {
  %0:2 = iree_gpu.subgroup_scan inclusive(%x) {
  ^bb0(%l: f32, %r: f32):
    %z = memref.load %m[%i] : memref<4xf32>
    %q = gpu.subgroup_reduce add %l : (f32) -> f32 // expected-error {{waits for other threads in the region of iree_gpu.subgroup_scan}}
    scf.if %on {
      memref.store %r, %m[%i] : memref<4xf32> // expected-error {{writes to memory in the region of iree_gpu.subgroup_scan}}
      gpu.barrier // expected-error {{waits for other threads in the region of iree_gpu.subgroup_scan}}
    }
    iree_gpu.yield %z : f32
  } : f32
  %1 = gpu.all_reduce %x {
  ^bb0(%l: f32, %r: f32):
    %q = gpu.subgroup_reduce add %l : (f32) -> f32 // expected-error {{waits for other threads in the region of gpu.all_reduce}}
    gpu.yield %q : f32
  } : (f32) -> f32
  return
}
// -----
func.func @alone(%x: f32) {
  iree_gpu.yield %x : f32 // expected-error {{must end the region of iree_gpu.barrier_region, iree_gpu.shuffle_tensor or iree_gpu.subgroup_scan}}
}
// -----
func.func @barrier(%x: f32) {
  iree_gpu.global_subgroup_barrier {some}
  // expected-error@+1 {{expects 0 operands, found 1}}
  "iree_gpu.global_subgroup_barrier"(%x) : (f32) -> ()
  return
}
