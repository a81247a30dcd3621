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
