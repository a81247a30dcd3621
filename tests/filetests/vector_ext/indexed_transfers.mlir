// Rows of a table, and back to other rows: whole rows of 128 bytes, in accesses of 16 bytes.
// test roundtrip
// test run
// test run target=gfx942
// test run target=gfx1100
// test run target=sm_80
// 16 rows of 64 halves, read and written: 2 * 16 * 128 / 32 = 128 sectors, and 16 indices of 8 bytes: 4, twice. A
// thread has 16 halves, two accesses each way.
// expect sm_90: sectors 136, matrix loads 0, loads <= 10, stores 2
// lanewise.args t = normal(40, 64), i = index(16), j = index(16), y = empty(16, 64); grid = 1
gpu.module @kernels {
  gpu.func @rows(%t: memref<40x64xf16>, %i: memref<16xindex>, %j: memref<16xindex>, %y: memref<16x64xf16>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %p = arith.constant 0.0 : f16
    %three = arith.constant dense<3> : vector<16xindex>
    %sixteen = arith.constant dense<16> : vector<16xindex>
    %a = vector.transfer_read %i[%c0], %c0 {in_bounds = [true]} : memref<16xindex>, vector<16xindex>
    %b = vector.transfer_read %j[%c0], %c0 {in_bounds = [true]} : memref<16xindex>, vector<16xindex>
    %0 = arith.muli %a, %three : vector<16xindex>
    %1 = arith.remui %0, %sixteen : vector<16xindex>
    %2 = iree_vector_ext.transfer_gather %t[%c8, %c0] [%1 : vector<16xindex>], %p <indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>]> : memref<40x64xf16>, vector<16x64xf16>
    iree_vector_ext.transfer_scatter %2 into %y[%c0, %c0] [%b : vector<16xindex>] <indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>]> : vector<16x64xf16>, memref<16x64xf16>
    gpu.return
  }
}

// -----

// Every element by indices of two dims, transposed and repeated, under a mask of one of the vector's dims; two index
// vectors, one a number.
// lanewise.args t = normal(8, 32), i = integers(0, 6, 32, 4), y = empty(4, 32, 2), n = 3; grid = 1
gpu.module @kernels {
  gpu.func @elements(%t: memref<8x32xf32>, %i: memref<32x4xindex>, %y: memref<4x32x2xf32>, %n: index) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant -1.0 : f32
    %c30 = arith.constant 30 : index
    %a = vector.transfer_read %i[%c0, %c0], %c0 : memref<32x4xindex>, vector<32x4xindex>
    %m = vector.create_mask %c30 : vector<32xi1>
    %0 = iree_vector_ext.transfer_gather %t[%c0, %c0] [%a, %n : vector<32x4xindex>, index], %p, %m <indexing_maps = [affine_map<(d0, d1, d2)[s0, s1] -> (s0, s1)>, affine_map<(d0, d1, d2)[s0, s1] -> (d1, d0)>, affine_map<(d0, d1, d2)[s0, s1] -> ()>, affine_map<(d0, d1, d2)[s0, s1] -> (d1)>]> : memref<8x32xf32>, vector<4x32x2xf32>, vector<32xi1>
    vector.transfer_write %0, %y[%c0, %c0, %c0] : vector<4x32x2xf32>, memref<4x32x2xf32>
    gpu.return
  }
}

// -----

// A permutation of a vector under a mask: what the mask leaves out stays. Masked indices may lie outside.
// lanewise.args x = normal(96), i = index(96), y = full(96, value=7); grid = 1
gpu.module @kernels {
  gpu.func @permute(%x: memref<96xf32>, %i: memref<96xindex>, %y: memref<96xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %last = arith.constant dense<89> : vector<96xindex>
    %zero = arith.constant dense<0> : vector<96xindex>
    %v = vector.transfer_read %x[%c0], %p : memref<96xf32>, vector<96xf32>
    %a = vector.transfer_read %i[%c0], %c0 : memref<96xindex>, vector<96xindex>
    %0 = arith.subi %last, %a : vector<96xindex>
    %1 = arith.cmpi sge, %0, %zero : vector<96xindex>
    iree_vector_ext.transfer_scatter %v into %y[%c0] [%0 : vector<96xindex>], %1 <indexing_maps = [affine_map<(d0)[s0] -> (s0)>, affine_map<(d0)[s0] -> (d0)>, affine_map<(d0)[s0] -> (d0)>]> : vector<96xf32>, memref<96xf32>, vector<96xi1>
    gpu.return
  }
}

// -----

// The diagonal, and nothing looked up: neighbours of the vector are no neighbours in memory.
// expect sm_90: loads 1, stores 1
// lanewise.args x = normal(32, 32), y = empty(32); grid = 1
gpu.module @kernels {
  gpu.func @diagonal(%x: memref<32x32xf32>, %y: memref<32xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %0 = iree_vector_ext.transfer_gather %x[%c0, %c0], %p <indexing_maps = [affine_map<(d0) -> (d0, d0)>]> : memref<32x32xf32>, vector<32xf32>
    vector.transfer_write %0, %y[%c0] : vector<32xf32>, memref<32xf32>
    gpu.return
  }
}
