// Small words that every kernel may have, each where its number is known: sizes, bounds, promises, conditions.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// A number is read, written and joined to by each of 64 threads.
// expect sm_90: loads 1, stores 1, atomics 64, thread memref.atomic_rmw 1
// expect gfx942: loads 1, stores 1, atomics 64, thread memref.atomic_rmw 1
// lanewise.args x = index(64), y = empty(64), n = 64; grid = 2
gpu.func @words(%x: memref<?xi32>, %y: memref<64xi32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %t = gpu.thread_id x
  %b = gpu.block_id x
  %size = gpu.block_dim x
  %blocks = gpu.grid_dim x
  %lanes = gpu.subgroup_size : index
  %groups = gpu.num_subgroups : index
  %c0 = arith.constant 0 : index
  %extent = memref.dim %x, %c0 : memref<?xi32>
  // All of 64 or more, but threads * workgroups = 64, which is the least.
  %all = arith.muli %size, %blocks : index
  %least = affine.min affine_map<(d0, d1, d2) -> (d0, d1, d2 + 64)>(%extent, %all, %lanes)
  %most = affine.max affine_map<(d0, d1) -> (d0, d1)>(%least, %groups)
  %good = arith.cmpi eq, %most, %n : index
  cf.assert %good, "64 threads for 64 elements"
  %near = memref.assume_alignment %x, 4 : memref<?xi32>
  %base = arith.muli %b, %size : index
  %i = arith.addi %base, %t : index
  %v = memref.load %near[%i] : memref<?xi32>
  memref.store %v, %y[%i] : memref<64xi32>
  %one = arith.constant 1 : i32
  %old = memref.atomic_rmw addi %one, %y[%i] : (i32, memref<64xi32>) -> i32
  gpu.return
}
// -----
// A buffer that is given back; a sum along rows, where a mask has them.
// lanewise.args x = index(8, 8), y = empty(8)
gpu.func @rows(%x: memref<8x8xi32>, %y: memref<8xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0, %c0] : memref<8x8xi32>, vector<8x8xi32>
  %near = memref.alloc() : memref<8x8xi32, #gpu.address_space<workgroup>>
  vector.store %v, %near[%c0, %c0] : memref<8x8xi32, #gpu.address_space<workgroup>>, vector<8x8xi32>
  %w = vector.load %near[%c0, %c0] : memref<8x8xi32, #gpu.address_space<workgroup>>, vector<8x8xi32>
  memref.dealloc %near : memref<8x8xi32, #gpu.address_space<workgroup>>
  %zero = arith.constant dense<0> : vector<8xi32>
  %m = vector.constant_mask [5, 8] : vector<8x8xi1>
  %s = vector.mask %m {
    %sum = vector.multi_reduction <add>, %w, %zero [1] : vector<8x8xi32> to vector<8xi32>
    vector.yield %sum : vector<8xi32>
  } : vector<8x8xi1> -> vector<8xi32>
  vector.store %s, %y[%c0] : memref<8xi32>, vector<8xi32>
  gpu.return
}
