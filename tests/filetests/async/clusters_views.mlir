// test roundtrip
// test run target=sm_90
// Views of the memory of another workgroup are views of that alone: its rows behind each other, in front of the own ones or
// behind. Each of the four workgroups updates one element of another, where nobody comes between: an exchange each.
// expect sm_90: atomics 4
// lanewise.args N = 4 : x = integers(-3, 3, N, 16, 32), y = empty(N, 512) ; grid = N
#space = #gpu.address_space<workgroup>
#across = #nvvm.memory_space<shared_cluster>
gpu.func @views(%x: memref<?x16x32xf32>, %y: memref<?x512xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %pad = arith.constant 0.0 : f32
  %b = gpu.block_id x
  %rank = gpu.cluster_block_id x
  %own = arith.index_cast %rank : index to i32
  %other = arith.xori %own, %one : i32
  %s = memref.alloc() : memref<16x32xf32, #space>
  %v = vector.transfer_read %x[%b, %c0, %c0], %pad {in_bounds = [true, true]} : memref<?x16x32xf32>, vector<16x32xf32>
  vector.transfer_write %v, %s[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf32>, memref<16x32xf32, #space>
  gpu.barrier scope <cluster>
  %theirs = nvvm.mapa %s, %other : memref<16x32xf32, #space> -> memref<16x32xf32, #across>
  %old = memref.generic_atomic_rmw %theirs[%c1, %rank] : memref<16x32xf32, #across> {
  ^bb0(%is: f32):
    %square = arith.mulf %is, %is : f32
    memref.atomic_yield %square : f32
  }
  gpu.barrier scope <cluster>
  %line = memref.collapse_shape %theirs [[0, 1]] : memref<16x32xf32, #across> into memref<512xf32, #across>
  %w = vector.transfer_read %line[%c0], %pad {in_bounds = [true]} : memref<512xf32, #across>, vector<512xf32>
  gpu.barrier scope <cluster>
  vector.transfer_write %w, %y[%b, %c0] {in_bounds = [true]} : vector<512xf32>, memref<?x512xf32>
  gpu.return
}
