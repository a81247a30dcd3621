// test roundtrip
// test run
// test run M=33 N=9 K=17
// C = A * B, f16 operands, f32 accumulators and result, any M, N, K: 128x128 tiles of C, 32 of K at a time.
//
// Eight subgroups, 2 along M and 4 along N, each 64x32 of C in m16n8k16 fragments. Tiles of A and B go through shared
// memory, whose rows are padded so that ldmatrix meets no bank conflict; the next tiles are read from global memory
// while the current ones are multiplied.
// lanewise.args M = 200, N = 136, K = 72 : a = integers(-3, 3, M, K), b = integers(-3, 3, K, N), c = empty(M, N) ; grid = (ceildiv(N, 128), ceildiv(M, 128), 1)
#copy_a = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [2, 1], outer_tile = [1, 1], thread_tile = [64, 4], element_tile = [1, 8],
  subgroup_strides = [0, 0], thread_strides = [4, 1]>
#copy_b = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [2, 1], outer_tile = [1, 1], thread_tile = [16, 16], element_tile = [1, 8],
  subgroup_strides = [0, 0], thread_strides = [16, 1]>
#a = #iree_vector_ext.nested_layout<
  subgroup_tile = [2, 1], batch_tile = [4, 2], outer_tile = [2, 2], thread_tile = [8, 4], element_tile = [1, 2],
  subgroup_strides = [4, 0], thread_strides = [4, 1]>
#b = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 4], batch_tile = [2, 4], outer_tile = [2, 1], thread_tile = [4, 8], element_tile = [2, 1],
  subgroup_strides = [0, 1], thread_strides = [1, 4]>
#c = #iree_vector_ext.nested_layout<
  subgroup_tile = [2, 4], batch_tile = [4, 4], outer_tile = [2, 1], thread_tile = [8, 4], element_tile = [1, 2],
  subgroup_strides = [4, 1], thread_strides = [4, 1]>
#mm = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

gpu.func @matmul_f16(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<128x128xf32>
  %block_x = gpu.block_id x
  %block_y = gpu.block_id y
  %n = arith.muli %block_x, %c128 : index
  %m = arith.muli %block_y, %c128 : index
  %depth = memref.dim %A, %c1 : memref<?x?xf16>
  %tile_a = memref.alloc() : memref<128x40xf16, #gpu.address_space<workgroup>>
  %tile_b = memref.alloc() : memref<32x136xf16, #gpu.address_space<workgroup>>

  %first_a = vector.transfer_read %A[%m, %c0], %pad : memref<?x?xf16>, vector<128x32xf16>
  %first_b = vector.transfer_read %B[%c0, %n], %pad : memref<?x?xf16>, vector<32x128xf16>
  %start_a = iree_vector_ext.to_layout %first_a to layout(#copy_a) : vector<128x32xf16>
  %start_b = iree_vector_ext.to_layout %first_b to layout(#copy_b) : vector<32x128xf16>

  %sum:3 = scf.for %k = %c0 to %depth step %c32 iter_args(%acc = %zero, %held_a = %start_a, %held_b = %start_b)
      -> (vector<128x128xf32>, vector<128x32xf16>, vector<32x128xf16>) {
    gpu.barrier
    vector.transfer_write %held_a, %tile_a[%c0, %c0] {in_bounds = [true, true]}
      : vector<128x32xf16>, memref<128x40xf16, #gpu.address_space<workgroup>>
    vector.transfer_write %held_b, %tile_b[%c0, %c0] {in_bounds = [true, true]}
      : vector<32x128xf16>, memref<32x136xf16, #gpu.address_space<workgroup>>
    gpu.barrier

    %next = arith.addi %k, %c32 : index
    %next_a = vector.transfer_read %A[%m, %next], %pad : memref<?x?xf16>, vector<128x32xf16>
    %next_b = vector.transfer_read %B[%next, %n], %pad : memref<?x?xf16>, vector<32x128xf16>

    %0 = vector.transfer_read %tile_a[%c0, %c0], %pad {in_bounds = [true, true]}
      : memref<128x40xf16, #gpu.address_space<workgroup>>, vector<128x32xf16>
    %1 = vector.transfer_read %tile_b[%c0, %c0], %pad {in_bounds = [true, true]}
      : memref<32x136xf16, #gpu.address_space<workgroup>>, vector<32x128xf16>
    %2 = iree_vector_ext.to_layout %0 to layout(#a) : vector<128x32xf16>
    %3 = iree_vector_ext.to_layout %1 to layout(#b) : vector<32x128xf16>
    %4 = vector.contract {
      indexing_maps = [#mm, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %2, %3, %acc : vector<128x32xf16>, vector<32x128xf16> into vector<128x128xf32>
    scf.yield %4, %next_a, %next_b : vector<128x128xf32>, vector<128x32xf16>, vector<32x128xf16>
  }
  %result = iree_vector_ext.to_layout %sum#0 to layout(#c) : vector<128x128xf32>
  vector.transfer_write %result, %C[%m, %n] : vector<128x128xf32>, memref<?x?xf32>
  gpu.return
}
