// Clusters of lanes add, one after the other; lanes before a cluster's first do not count.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// lanewise.args x = normal(64), a = empty(64), b = empty(64), c = empty(64), d = empty(64)
// Two steps for clusters of four and one for the exclusive result, one for the total; five over 32 lanes, no total.
// expect sm_90: shuffles 9
gpu.func @sums(%x: memref<64xf32>, %a: memref<64xf32>, %b: memref<64xf32>, %c: memref<64xf32>, %d: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %t = gpu.thread_id x
  %zero = arith.constant 0.0 : f32
  %v = memref.load %x[%t] : memref<64xf32>
  %before, %all = iree_gpu.subgroup_scan(%v, identity = %zero : f32) cluster(size = 4, stride = 2) {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    iree_gpu.yield %s : f32
  } : f32
  %up_to, %unused = iree_gpu.subgroup_scan inclusive(%v) {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    iree_gpu.yield %s : f32
  } : f32
  memref.store %before, %a[%t] : memref<64xf32>
  memref.store %all, %b[%t] : memref<64xf32>
  memref.store %up_to, %c[%t] : memref<64xf32>
  memref.store %v, %d[%t] : memref<64xf32>
  gpu.return
}
