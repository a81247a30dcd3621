// A workgroup copies tiles while it goes on, up to its next barrier.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx950
// test run target=gfx1100
// lanewise.args x = normal(16, 64), z = normal(64), y = empty(16, 64), w = empty(64)
// 64 threads copy 1024 numbers of two bytes, eight at once: two instructions each, where the chip has such copies.
// expect sm_90: copies 2
// expect gfx950: copies 2
#group = #gpu.address_space<workgroup>
gpu.func @rows(%x: memref<16x64xf16> {llvm.align = 16 : i64}, %z: memref<64xf32>, %y: memref<16x64xf16>, %w: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  %none = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<16x64xf16, #group>
  iree_gpu.async_dma %x[%c0, %c0] to %s[%c0, %c0], vector<16x64xf16> in_bounds [true, true] : memref<16x64xf16>, memref<16x64xf16, #group>
  %own = vector.transfer_read %z[%c0], %none {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %twice = arith.addf %own, %own : vector<64xf32>
  gpu.barrier
  %v = vector.transfer_read %s[%c0, %c0], %pad {in_bounds = [true, true]} : memref<16x64xf16, #group>, vector<16x64xf16>
  vector.transfer_write %v, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x64xf16>, memref<16x64xf16>
  vector.transfer_write %twice, %w[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
// Two tiles are under way at once; one of them has fewer rows in memory, of which the others are zeros.
// lanewise.args x = normal(20, 64), y = empty(8, 64), z = empty(8, 64), i = 15
#group = #gpu.address_space<workgroup>
gpu.func @two(%x: memref<20x64xf16>, %y: memref<8x64xf16>, %z: memref<8x64xf16>, %i: index) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  %s = memref.alloc() : memref<8x64xf16, #group>
  %t = memref.alloc() : memref<8x64xf16, #group>
  iree_gpu.async_dma %x[%c0, %c0] to %s[%c0, %c0], vector<8x64xf16> : memref<20x64xf16>, memref<8x64xf16, #group>
  iree_gpu.async_dma %x[%i, %c0] to %t[%c0, %c0], vector<8x64xf16> in_bounds [false, true] : memref<20x64xf16>, memref<8x64xf16, #group>
  gpu.barrier
  %u = vector.transfer_read %s[%c0, %c0], %pad {in_bounds = [true, true]} : memref<8x64xf16, #group>, vector<8x64xf16>
  %v = vector.transfer_read %t[%c0, %c0], %pad {in_bounds = [true, true]} : memref<8x64xf16, #group>, vector<8x64xf16>
  vector.transfer_write %u, %y[%c0, %c0] {in_bounds = [true, true]} : vector<8x64xf16>, memref<8x64xf16>
  vector.transfer_write %v, %z[%c0, %c0] {in_bounds = [true, true]} : vector<8x64xf16>, memref<8x64xf16>
  gpu.return
}
// -----
// Rows that an index vector names, and columns from one on, come transposed; a tile in a loop is read before the next.
// lanewise.args x = normal(20, 64), at = integers(0, 19, 4), y = empty(3, 16, 4)
#group = #gpu.address_space<workgroup>
gpu.func @looked_up(%x: memref<20x64xf32>, %at: memref<4xindex>, %y: memref<3x16x4xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c24 = arith.constant 24 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant 0 : index
  %rows = vector.transfer_read %at[%c0], %zero {in_bounds = [true]} : memref<4xindex>, vector<4xindex>
  %s = memref.alloc() : memref<16x4xf32, #group>
  scf.for %k = %c0 to %c3 step %c1 {
    %column = arith.muli %k, %c24 : index
    iree_gpu.async_dma %x[%rows, %column] to %s[%c0, %c0], vector<16x4xf32> permutation_map affine_map<(r, c) -> (c, r)>
      in_bounds [false, true] : memref<20x64xf32> [vector<4xindex>, index], memref<16x4xf32, #group>
    gpu.barrier
    %v = vector.transfer_read %s[%c0, %c0], %pad {in_bounds = [true, true]} : memref<16x4xf32, #group>, vector<16x4xf32>
    vector.transfer_write %v, %y[%k, %c0, %c0] {in_bounds = [true, true]} : vector<16x4xf32>, memref<3x16x4xf32>
  }
  gpu.return
}
// -----
// A row is nine pieces of 16 bytes, which no 64 lanes share out: the threads of both subgroups do. The second tile has 20 rows
// of three pieces, of which the last eight are not in memory.
// lanewise.args x = normal(8, 72), z = normal(12, 24), y = empty(8, 72), w = empty(20, 24)
#group = #gpu.address_space<workgroup>
gpu.func @odd_rows(%x: memref<8x72xf16>, %z: memref<12x24xf16>, %y: memref<8x72xf16>, %w: memref<20x24xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  %s = memref.alloc() : memref<8x72xf16, #group>
  %t = memref.alloc() : memref<20x24xf16, #group>
  iree_gpu.async_dma %x[%c0, %c0] to %s[%c0, %c0], vector<8x72xf16> : memref<8x72xf16>, memref<8x72xf16, #group>
  iree_gpu.async_dma %z[%c0, %c0] to %t[%c0, %c0], vector<20x24xf16> in_bounds [false, true] : memref<12x24xf16>, memref<20x24xf16, #group>
  gpu.barrier
  %u = vector.transfer_read %s[%c0, %c0], %pad {in_bounds = [true, true]} : memref<8x72xf16, #group>, vector<8x72xf16>
  %v = vector.transfer_read %t[%c0, %c0], %pad {in_bounds = [true, true]} : memref<20x24xf16, #group>, vector<20x24xf16>
  vector.transfer_write %u, %y[%c0, %c0] {in_bounds = [true, true]} : vector<8x72xf16>, memref<8x72xf16>
  vector.transfer_write %v, %w[%c0, %c0] {in_bounds = [true, true]} : vector<20x24xf16>, memref<20x24xf16>
  gpu.return
}
// -----
// Fewer threads than a subgroup has lanes.
// lanewise.args x = normal(4, 64), y = empty(4, 64)
#group = #gpu.address_space<workgroup>
gpu.func @few_threads(%x: memref<4x64xf16>, %y: memref<4x64xf16>) kernel attributes {gpu.known_block_size = array<i32: 16, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  %s = memref.alloc() : memref<4x64xf16, #group>
  iree_gpu.async_dma %x[%c0, %c0] to %s[%c0, %c0], vector<4x64xf16> : memref<4x64xf16>, memref<4x64xf16, #group>
  gpu.barrier
  %u = vector.transfer_read %s[%c0, %c0], %pad {in_bounds = [true, true]} : memref<4x64xf16, #group>, vector<4x64xf16>
  vector.transfer_write %u, %y[%c0, %c0] {in_bounds = [true, true]} : vector<4x64xf16>, memref<4x64xf16>
  gpu.return
}
