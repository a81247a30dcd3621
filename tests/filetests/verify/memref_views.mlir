// Views of other extents and strides, buffers, copies and updates: every message.
// test verify
func.func @reinterpret(%a: memref<4x8xf32>, %n: index) {
  %0 = memref.reinterpret_cast %a to offset: [0], sizes: [4], strides: [8, 1] : memref<4x8xf32> to memref<4x8xf32> // expected-error {{sizes: expected 2 for a result of rank 2, found 1}}
  %1 = "memref.reinterpret_cast"(%a, %n) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: 0>, static_sizes = array<i64: 4>, static_strides = array<i64: 1>}> : (memref<4x8xf32>, index) -> memref<4xf32> // expected-error {{offset: 1 values for 0 places in the list}}
  %2 = memref.reinterpret_cast %a to offset: [0], sizes: [4, 8], strides: [8, 1] : memref<4x8xf32> to memref<?x8xf32> // expected-error {{expected result type with size = 4 instead of dynamic in dim = 0}}
  %3 = memref.reinterpret_cast %a to offset: [%n], sizes: [4, 8], strides: [8, 1] : memref<4x8xf32> to memref<4x8xf32> // expected-error {{expected result type with offset = dynamic instead of 0}}
  %4 = memref.reinterpret_cast %a to offset: [0], sizes: [4, 8], strides: [7, 1] : memref<4x8xf32> to memref<4x8xf32> // expected-error {{expected result type with stride = 7 instead of 8 in dim = 0}}
  %5 = memref.reinterpret_cast %a to offset: [0], sizes: [4], strides: [1] : memref<4x8xf32> to memref<4xi32> // expected-error {{element type of the source is f32, of the result i32}}
  %6 = memref.reinterpret_cast %a to offset: [0], sizes: [4], strides: [1] : memref<4x8xf32> to memref<4xf32, #gpu.address_space<workgroup>> // expected-error {{are in different memory spaces}}
  %7:2 = "memref.extract_strided_metadata"(%a) : (memref<4x8xf32>) -> (memref<f32>, index) // expected-error {{results must be memref<f32>, index, index, index, index, index; found memref<f32>, index}}
  return
}

func.func @reassociation(%a: memref<4x8xf32>, %g: memref<4x8xf32, strided<[16, 1]>>, %d: memref<?x8xf32>) {
  %0 = memref.expand_shape %a [[0, 1], [2]] output_shape [2, 3, 8] : memref<4x8xf32> into memref<2x3x8xf32> // expected-error {{collapsed dim size (4) must equal reassociation group size (6)}}
  %1 = memref.expand_shape %a [[0, 2], [1]] output_shape [2, 2, 8] : memref<4x8xf32> into memref<2x2x8xf32> // expected-error {{reassociation indices must be contiguous}}
  %2 = memref.expand_shape %a [[0, 1, 2]] output_shape [2, 2, 8] : memref<4x8xf32> into memref<2x2x8xf32> // expected-error {{has 1 groups of dimensions for memref<4x8xf32>}}
  %3 = memref.expand_shape %a [[0], [1]] output_shape [2, 2, 8] : memref<4x8xf32> into memref<2x2x8xf32> // expected-error {{groups 2 dimensions, memref<2x2x8xf32> has 3}}
  %4 = memref.expand_shape %a [[0, 1], [2]] output_shape [2, 2, 7] : memref<4x8xf32> into memref<2x2x8xf32> // expected-error {{output_shape [2, 2, 7] with 0 values is not that of memref<2x2x8xf32>}}
  %5 = memref.expand_shape %a [[0, 1], [2]] output_shape [2, 2, 8] : memref<4x8xf32> into memref<2x2x8xf32, strided<[15, 8, 1]>> // expected-error {{expected expanded type to be memref<2x2x8xf32>, found}}
  %6 = memref.expand_shape %d [[0, 1], [2]] output_shape [2, 2, 8] : memref<?x8xf32> into memref<2x2x8xf32> // expected-error {{a dimension of dynamic size is joined of memref<2x2x8xf32>, where it is 4}}
  %7 = memref.collapse_shape %d [[0, 1]] : memref<?x8xf32> into memref<32xf32> // expected-error {{joins dimensions of memref<?x8xf32> of which some are dynamic into one of 32}}
  %8 = memref.collapse_shape %g [[0, 1]] : memref<4x8xf32, strided<[16, 1]>> into memref<32xf32> // expected-error {{joins dimensions of memref<4x8xf32, strided<[16, 1]>> between which there are gaps}}
  %9 = memref.collapse_shape %a [[0, 1]] : memref<4x8xf32> into memref<32xf32, strided<[2]>> // expected-error {{expected collapsed type to be memref<32xf32>, found}}
  return
}

func.func @orders(%a: memref<4x8xf32>, %g: memref<4x8xf32, strided<[16, 1]>>, %s: memref<2xi32>, %t: memref<?xi32>, %r: memref<2x2xi32>, %f: memref<2xf32>) {
  %0 = memref.transpose %a (i, j) -> (i, i) : memref<4x8xf32> to memref<4x4xf32> // expected-error {{expected a permutation map, found (d0, d1) -> (d0, d0)}}
  %1 = memref.transpose %a (i, j, k) -> (k, j, i) : memref<4x8xf32> to memref<8x4xf32> // expected-error {{permutes 3 dimensions, memref<4x8xf32> has 2}}
  %2 = memref.transpose %a (i, j) -> (j, i) : memref<4x8xf32> to memref<8x4xf32> // expected-error {{transposing memref<4x8xf32> gives memref<8x4xf32, strided<[1, 8]>>, found memref<8x4xf32>}}
  %3 = memref.reshape %a(%t) : (memref<4x8xf32>, memref<?xi32>) -> memref<8x4xf32> // expected-error {{length of the shape memref<?xi32> differs from the rank of the result memref<8x4xf32>}}
  %4 = memref.reshape %g(%s) : (memref<4x8xf32, strided<[16, 1]>>, memref<2xi32>) -> memref<8x4xf32> // expected-error {{source and result are row-major}}
  %5 = memref.reshape %a(%s) : (memref<4x8xf32>, memref<2xi32>) -> memref<8x5xf32> // expected-error {{source has 32 elements, the result 40}}
  %6 = memref.reshape %a(%r) : (memref<4x8xf32>, memref<2x2xi32>) -> memref<8x4xf32> // expected-error {{shape must have one dimension, found memref<2x2xi32>}}
  %7 = memref.reshape %a(%f) : (memref<4x8xf32>, memref<2xf32>) -> memref<8x4xf32> // expected-error {{must be a memref of indices or integers}}
  %8 = memref.memory_space_cast %a : memref<4x8xf32> to memref<4x9xf32, #gpu.address_space<global>> // expected-error {{differ in more than the memory space}}
  return
}

func.func @buffers(%a: memref<4x8xf32>, %b: memref<4x9xf32>, %c: memref<4x8xi32>, %i: index, %x: f32) {
  memref.copy %a, %b : memref<4x8xf32> to memref<4x9xf32> // expected-error {{requires the same shape}}
  memref.copy %a, %c : memref<4x8xf32> to memref<4x8xi32> // expected-error {{requires the same element type, found f32 and i32}}
  memref.prefetch %a[%i, %i], read, locality<4>, data : memref<4x8xf32> // expected-error {{locality is from 0 to 3, found 4}}
  memref.prefetch %a[%i], read, locality<3>, data : memref<4x8xf32> // expected-error {{has 1 indices for a memref of rank 2}}
  %0 = memref.alloca() : memref<?xf32> // expected-error {{has 0 sizes, memref<?xf32> leaves 1 open}}
  %1 = memref.alloca_scope -> (f32) {
    memref.alloca_scope.return %i : index // expected-error {{returns index, the results are f32}}
  }
  %2 = "memref.alloca_scope"() ({ // expected-error {{the region must end in memref.alloca_scope.return}}
  ^bb(%z: f32): // expected-error@-1 {{the region takes no arguments}}
    %n = arith.negf %z : f32
  }) : () -> f32
  memref.alloca_scope.return // expected-error {{must be inside memref.alloca_scope}}
}

func.func @updates(%a: memref<4xf32>, %c: memref<4xi32>, %i: index, %x: f32, %n: i32) {
  %0 = memref.generic_atomic_rmw %a[%i, %i] : memref<4xf32> { // expected-error {{has 2 indices for a memref of rank 1}}
  ^bb0(%v: f32):
    memref.atomic_yield %v : f32
  }
  %1 = memref.generic_atomic_rmw %a[%i] : memref<4xf32> {
  ^bb0(%v: f32):
    memref.store %v, %a[%i] : memref<4xf32> // expected-error {{has side effects, in the body of memref.generic_atomic_rmw}}
    memref.atomic_yield %v : f32
  }
  %2 = memref.generic_atomic_rmw %a[%i] : memref<4xf32> { // expected-error {{the region takes one f32, found (i32)}}
  ^bb0(%v: i32):
    memref.atomic_yield %v : i32 // expected-error {{yields i32, the memref's elements are f32}}
  }
  %3 = "memref.generic_atomic_rmw"(%a, %i) ({ // expected-error {{result has type i32, the memref's elements are f32}}
  ^bb0(%v: f32):
    memref.atomic_yield %v : f32
  }) : (memref<4xf32>, index) -> i32
  %4 = memref.generic_atomic_rmw %a[%i] : memref<4xf32> { // expected-error {{the region must end in memref.atomic_yield}}
  ^bb0(%v: f32):
    %w = arith.negf %v : f32
  }
  memref.atomic_yield %x : f32 // expected-error {{must be inside memref.generic_atomic_rmw}}
}
