// The first of the largest along the lanes of a subgroup; NaN never beats, and nothing but the initial value is there.
// test roundtrip
// test run data=written,special
// test run target=gfx942 data=written,special
// test run target=gfx1100
// test run target=sm_80
// A value and its position go through five steps of a butterfly of 32 lanes.
// expect sm_90: shuffles 10, barriers 0, shared bytes 0
// lanewise.args x = integers(-3, 3, 4, 64), y = empty(4), z = empty(4); grid = 1
gpu.module @kernels {
  gpu.func @first_of_lanes(%x: memref<4x64xi32>, %y: memref<4xi32>, %z: memref<4xi32>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0 : i32
    %low = arith.constant dense<-2147483648> : vector<4xi32>
    %none = arith.constant dense<-1> : vector<4xi32>
    %a = vector.transfer_read %x[%c0, %c0], %p : memref<4x64xi32>, vector<4x64xi32>
    %v, %i = iree_vector_ext.arg_compare dimension(1) ins(%a : vector<4x64xi32>) inits(%low, %none : vector<4xi32>, vector<4xi32>) {
    ^bb0(%new: i32, %best: i32):
      %wins = arith.cmpi sgt, %new, %best : i32
      iree_vector_ext.yield %wins : i1
    } -> vector<4xi32>, vector<4xi32>
    vector.transfer_write %v, %y[%c0] : vector<4xi32>, memref<4xi32>
    vector.transfer_write %i, %z[%c0] : vector<4xi32>, memref<4xi32>
    gpu.return
  }
}

// -----

// The last of the smallest, across four subgroups, with three digits of the dimension in each thread: every position is
// in another thread or register than its neighbours. Elements and positions of 256 threads cross in
// one exchange.
// expect sm_90: barriers 1, shared bytes 2048
// lanewise.args x = integers(-2, 2, 1536), y = empty(1), z = empty(1), first = 1000; grid = 1
gpu.module @kernels {
  gpu.func @last_of_subgroups(%x: memref<1536xf32>, %y: memref<1xf32>, %z: memref<1xi64>, %first: index) kernel attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %high = arith.constant dense<0x7F800000> : vector<f32>
    %none = arith.constant dense<-1> : vector<i64>
    %a = vector.transfer_read %x[%c0], %p : memref<1536xf32>, vector<1536xf32>
    %l = iree_vector_ext.to_layout %a to layout(#iree_vector_ext.nested_layout<subgroup_tile = [4], batch_tile = [3], outer_tile = [2], thread_tile = [32], element_tile = [2], subgroup_strides = [1], thread_strides = [1]>) : vector<1536xf32>
    %v, %i = iree_vector_ext.arg_compare dimension(0) ins(%l : vector<1536xf32>) inits(%high, %none : vector<f32>, vector<i64>) index_base(%first : index) {
    ^bb0(%new: f32, %best: f32):
      %wins = arith.cmpf ole, %new, %best : f32
      iree_vector_ext.yield %wins : i1
    } -> vector<f32>, vector<i64>
    %0 = vector.broadcast %v : vector<f32> to vector<1xf32>
    %1 = vector.broadcast %i : vector<i64> to vector<1xi64>
    vector.transfer_write %0, %y[%c0] : vector<1xf32>, memref<1xf32>
    vector.transfer_write %1, %z[%c0] : vector<1xi64>, memref<1xi64>
    gpu.return
  }
}

// -----

// Down columns, which stay in their threads, with indices of their own and a comparator of several operations that
// reads a number from outside: what is nearest to it. Nothing crosses lanes.
// expect sm_90: shuffles 0, barriers 0
// lanewise.args x = integers(-9, 9, 7, 64), n = integers(0, 99, 7, 64), y = empty(64), z = empty(64), 2.0; grid = 1
gpu.module @kernels {
  gpu.func @nearest_in_columns(%x: memref<7x64xf16>, %n: memref<7x64xi8>, %y: memref<64xf16>, %z: memref<64xi8>, %goal: f16) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f16
    %q = arith.constant 0 : i8
    %far = arith.constant dense<100.0> : vector<64xf16>
    %none = arith.constant dense<-1> : vector<64xi8>
    %a = vector.transfer_read %x[%c0, %c0], %p : memref<7x64xf16>, vector<7x64xf16>
    %b = vector.transfer_read %n[%c0, %c0], %q : memref<7x64xi8>, vector<7x64xi8>
    %v, %i = iree_vector_ext.arg_compare dimension(0) ins(%a, %b : vector<7x64xf16>, vector<7x64xi8>) inits(%far, %none : vector<64xf16>, vector<64xi8>) {
    ^bb0(%new: f16, %best: f16):
      %0 = arith.subf %new, %goal : f16
      %1 = arith.subf %best, %goal : f16
      %2 = math.absf %0 : f16
      %3 = math.absf %1 : f16
      %wins = arith.cmpf olt, %2, %3 : f16
      iree_vector_ext.yield %wins : i1
    } -> vector<64xf16>, vector<64xi8>
    vector.transfer_write %v, %y[%c0] : vector<64xf16>, memref<64xf16>
    vector.transfer_write %i, %z[%c0] : vector<64xi8>, memref<64xi8>
    gpu.return
  }
}

// -----

// With indices of their own across lanes that are no power of two, 9 of 45 threads a row; indices are `index`.
// lanewise.args x = integers(-2, 2, 5, 27), n = integers(-50, 50, 5, 27), y = empty(5), z = empty(5); grid = 1
gpu.module @kernels {
  gpu.func @odd_lanes(%x: memref<5x27xi16>, %n: memref<5x27xindex>, %y: memref<5xi16>, %z: memref<5xindex>) kernel attributes {gpu.known_block_size = array<i32: 45, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0 : i16
    %low = arith.constant dense<-1> : vector<5xi16>
    %none = arith.constant dense<-1> : vector<5xindex>
    %a = vector.transfer_read %x[%c0, %c0], %p : memref<5x27xi16>, vector<5x27xi16>
    %b = vector.transfer_read %n[%c0, %c0], %c0 : memref<5x27xindex>, vector<5x27xindex>
    %l = iree_vector_ext.to_layout %a to layout(#iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 3], thread_tile = [5, 9], element_tile = [1, 1], subgroup_strides = [0, 0], thread_strides = [9, 1]>) : vector<5x27xi16>
    %v, %i = iree_vector_ext.arg_compare dimension(1) ins(%l, %b : vector<5x27xi16>, vector<5x27xindex>) inits(%low, %none : vector<5xi16>, vector<5xindex>) {
    ^bb0(%new: i16, %best: i16):
      %wins = arith.cmpi uge, %new, %best : i16
      iree_vector_ext.yield %wins : i1
    } -> vector<5xi16>, vector<5xindex>
    vector.transfer_write %v, %y[%c0] : vector<5xi16>, memref<5xi16>
    vector.transfer_write %i, %z[%c0] : vector<5xindex>, memref<5xindex>
    gpu.return
  }
}

// -----

// NaN beats numbers, as the comparator says: the first NaN of each row, or the first of the largest.
// lanewise.args x = special(8, 96), y = empty(8), z = empty(8); grid = 1
gpu.module @kernels {
  gpu.func @not_a_number(%x: memref<8x96xf32>, %y: memref<8xf32>, %z: memref<8xi32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %low = arith.constant dense<0xFF800000> : vector<8xf32>
    %none = arith.constant dense<0> : vector<8xi32>
    %a = vector.transfer_read %x[%c0, %c0], %p : memref<8x96xf32>, vector<8x96xf32>
    %v, %i = iree_vector_ext.arg_compare dimension(1) ins(%a : vector<8x96xf32>) inits(%low, %none : vector<8xf32>, vector<8xi32>) {
    ^bb0(%new: f32, %best: f32):
      %number = arith.cmpf ord, %best, %best : f32
      %more = arith.cmpf ugt, %new, %best : f32
      %wins = arith.andi %number, %more : i1
      iree_vector_ext.yield %wins : i1
    } -> vector<8xf32>, vector<8xi32>
    vector.transfer_write %v, %y[%c0] : vector<8xf32>, memref<8xf32>
    vector.transfer_write %i, %z[%c0] : vector<8xi32>, memref<8xi32>
    gpu.return
  }
}
