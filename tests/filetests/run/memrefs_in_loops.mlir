// Loops and branches that hand memrefs on: two buffers that take turns, filled ahead of use.
// test run
// test run target=gfx942
// test run target=gfx1100
// expect sm_90: barriers 2
// lanewise.args c = integers(-3, 3, 512), d = empty(256), n = 4; grid = 1
#R = #iree_vector_ext.nested_layout<subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32],
  element_tile = [1], subgroup_strides = [1], thread_strides = [1]>
#S = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [16],
  element_tile = [4], subgroup_strides = [0], thread_strides = [1]>
gpu.func @ring(%c: memref<?xi32>, %d: memref<256xi32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %p = arith.constant 1 : i32
  %a = memref.alloc() : memref<64xi32, #gpu.address_space<workgroup>>
  %b = memref.alloc() : memref<64xi32, #gpu.address_space<workgroup>>
  %x0 = vector.transfer_read %c[%c0], %p {in_bounds = [true]} : memref<?xi32>, vector<64xi32>
  %x = iree_vector_ext.to_layout %x0 to layout(#R) : vector<64xi32>
  vector.transfer_write %x, %a[%c0] {in_bounds = [true]} : vector<64xi32>, memref<64xi32, #gpu.address_space<workgroup>>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %a, %w = %b)
      -> (memref<64xi32, #gpu.address_space<workgroup>>, memref<64xi32, #gpu.address_space<workgroup>>) {
    %k = arith.addi %i, %c1 : index
    %j = arith.muli %k, %c64 : index
    %y0 = vector.transfer_read %c[%j], %p {in_bounds = [true]} : memref<?xi32>, vector<64xi32>
    %y = iree_vector_ext.to_layout %y0 to layout(#R) : vector<64xi32>
    vector.transfer_write %y, %w[%c0] {in_bounds = [true]} : vector<64xi32>, memref<64xi32, #gpu.address_space<workgroup>>
    %z0 = vector.transfer_read %u[%c0], %p {in_bounds = [true]}
        : memref<64xi32, #gpu.address_space<workgroup>>, vector<64xi32>
    %z = iree_vector_ext.to_layout %z0 to layout(#S) : vector<64xi32>
    %o = arith.muli %i, %c64 : index
    vector.transfer_write %z, %d[%o] {in_bounds = [true]} : vector<64xi32>, memref<256xi32>
    scf.yield %w, %u : memref<64xi32, #gpu.address_space<workgroup>>, memref<64xi32, #gpu.address_space<workgroup>>
  }
  gpu.return
}
// -----
// Extents known at run time, and none where the loop does not run; a branch chooses between buffers.
// lanewise.args a = integers(-3, 3, 3, 40), b = integers(-3, 3, 3, 40), d = empty(2, 40), n = 3, m = 0; grid = 1
gpu.func @chosen(%a: memref<?x?xi32>, %b: memref<?x?xi32>, %d: memref<2x40xi32>, %n: index, %m: index) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 7 : i32
  %zero = arith.constant dense<0> : vector<64xi32>
  %last:3 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %a, %w = %b, %sum = %zero)
      -> (memref<?x?xi32>, memref<?x?xi32>, vector<64xi32>) {
    %x = vector.transfer_read %u[%i, %c0], %p : memref<?x?xi32>, vector<64xi32>
    %s = arith.addi %sum, %x : vector<64xi32>
    scf.yield %w, %u, %s : memref<?x?xi32>, memref<?x?xi32>, vector<64xi32>
  }
  vector.transfer_write %last#2, %d[%c0, %c0] : vector<64xi32>, memref<2x40xi32>
  %never = scf.for %i = %c0 to %m step %c1 iter_args(%u = %last#0) -> (memref<?x?xi32>) {
    scf.yield %b : memref<?x?xi32>
  }
  %even = arith.cmpi eq, %n, %c1 : index
  %one = scf.if %even -> (memref<?x?xi32>) {
    scf.yield %a : memref<?x?xi32>
  } else {
    scf.yield %never : memref<?x?xi32>
  }
  %y = vector.transfer_read %one[%c1, %c0], %p : memref<?x?xi32>, vector<64xi32>
  vector.transfer_write %y, %d[%c1, %c0] : vector<64xi32>, memref<2x40xi32>
  gpu.return
}
