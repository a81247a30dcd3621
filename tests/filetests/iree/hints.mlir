// iree_codegen's hints: indices that differ between lanes, and rows that lie in other banks, mean what they were made of.
// test roundtrip
// test run target=sm_90
// test run target=gfx942
// test run target=sm_80
// test run target=gfx1100
// lanewise.args x = index(64), y = empty(64), z = empty(64)
gpu.module @m {
  gpu.func @hinted(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %row = iree_codegen.index_hint %c0(#iree_gpu.lane_constant<16>) : index
    %col = iree_codegen.index_hint %row {hint = #iree_gpu.lane_increment<16, aligned>} : index
    %v = vector.transfer_read %x[%col], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
    %s = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
    %t = iree_codegen.swizzle_hint %s[#iree_codegen.xor_shuffle<32, 4>] : memref<64xf32, #gpu.address_space<workgroup>>
    vector.transfer_write %v, %t[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
    %a = vector.transfer_read %t[%c0], %p {in_bounds = [true]} : memref<64xf32, #gpu.address_space<workgroup>>, vector<64xf32>
    vector.transfer_write %a, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
    lanewise.threads {
      %id = gpu.thread_id x upper_bound 64
      %hint = iree_codegen.index_hint %id(#iree_gpu.lane_increment<64>) : index
      %e = memref.load %t[%hint] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %e, %z[%id] : memref<64xf32>
    }
    gpu.return
  }
}
