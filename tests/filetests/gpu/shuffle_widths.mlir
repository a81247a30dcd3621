// Shuffles of 20 lanes: the first of them are one group, and the others get what they have.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// Four fetch from another lane; what is further down than the width is nobody's, and is not fetched.
// expect sm_90: shuffles 4
// expect gfx942: shuffles 4
// lanewise.args x = index(64), y = empty(64, 4), z = empty(64, 5)
gpu.module @m {
  gpu.func @twenty(%x: memref<64xf32>, %y: memref<64x4xf32>, %z: memref<64x5xi32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
    %id = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %width = arith.constant 20 : i32
    %o24 = arith.constant 24 : i32
    %o3 = arith.constant 3 : i32
    %o19 = arith.constant 19 : i32
    %huge = arith.constant -1 : i32
    %own = memref.load %x[%id] : memref<64xf32>
    %a, %v = gpu.shuffle xor %own, %o24, %width : f32
    %b, %w = gpu.shuffle up %own, %o3, %width : f32
    %c, %u = gpu.shuffle down %own, %o3, %width : f32
    %d, %t = gpu.shuffle idx %own, %o19, %width : f32
    %e, %s = gpu.shuffle down %own, %huge, %width : f32
    memref.store %a, %y[%id, %c0] : memref<64x4xf32>
    memref.store %b, %y[%id, %c1] : memref<64x4xf32>
    memref.store %c, %y[%id, %c2] : memref<64x4xf32>
    memref.store %d, %y[%id, %c3] : memref<64x4xf32>
    %vi = arith.extui %v : i1 to i32
    %wi = arith.extui %w : i1 to i32
    %ui = arith.extui %u : i1 to i32
    %ti = arith.extui %t : i1 to i32
    %si = arith.extui %s : i1 to i32
    memref.store %vi, %z[%id, %c0] : memref<64x5xi32>
    memref.store %wi, %z[%id, %c1] : memref<64x5xi32>
    memref.store %ui, %z[%id, %c2] : memref<64x5xi32>
    memref.store %ti, %z[%id, %c3] : memref<64x5xi32>
    memref.store %si, %z[%id, %c4] : memref<64x5xi32>
    gpu.return
  }
}

// -----

// Reductions over clusters with a stride, of halves, of bf16 and of vectors: small integers, exact in any order.
// lanewise.args x = integers(-3, 3, 64, 2), y = empty(64, 2), z = empty(64, 2)
gpu.module @m {
  gpu.func @clusters(%x: memref<64x2xf16>, %y: memref<64x2xf16>, %z: memref<64x2xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
    %id = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %p = arith.constant 0.0 : f16
    %own = vector.transfer_read %x[%id, %c0], %p : memref<64x2xf16>, vector<2xf16>
    %sums = gpu.subgroup_reduce add %own cluster(size = 4, stride = 8) : (vector<2xf16>) -> vector<2xf16>
    %three = arith.constant 3 : i32
    %other = gpu.subgroup_broadcast %own, specific_lane %three : vector<2xf16>
    %both = arith.addf %sums, %other : vector<2xf16>
    vector.transfer_write %both, %y[%id, %c0] : vector<2xf16>, memref<64x2xf16>
    %first = vector.extract %own[0] : f16 from vector<2xf16>
    %wide = arith.extf %first : f16 to f32
    %short = arith.truncf %wide : f32 to bf16
    %least = gpu.subgroup_reduce minimumf %short uniform : (bf16) -> bf16
    %l = arith.extf %least : bf16 to f32
    memref.store %l, %z[%id, %c0] : memref<64x2xf32>
    %n = arith.fptosi %wide : f32 to i8
    %most = gpu.subgroup_reduce maxsi %n cluster(size = 2) : (i8) -> i8
    %m = arith.sitofp %most : i8 to f32
    memref.store %m, %z[%id, %c1] : memref<64x2xf32>
    gpu.return
  }
}
