// test compile target=sm_90
gpu.func @wide(%x: memref<64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread", lanewise.subgroup_size = 32 : i64} {
  %t = gpu.thread_id x
  %v = memref.load %x[%t] : memref<64xi32>
  // expected-error@+1 {{scans 16 lanes, each 4 from the next: subgroups have 32 lanes}}
  %a:2 = iree_gpu.subgroup_scan inclusive(%v) cluster(size = 16, stride = 4) {
  ^bb0(%l: i32, %r: i32):
    %s = arith.addi %l, %r : i32
    iree_gpu.yield %s : i32
  } : i32
  memref.store %a#0, %x[%t] : memref<64xi32>
  gpu.return
}
// -----
gpu.func @wider(%x: memref<64xi32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %t = gpu.thread_id x
  %v = memref.load %x[%t] : memref<64xi32>
  // expected-error@+1 {{scans 128 lanes, each 1 from the next: subgroups have 64 lanes at most}}
  %a:2 = iree_gpu.subgroup_scan inclusive(%v) cluster(size = 128) {
  ^bb0(%l: i32, %r: i32):
    %s = arith.addi %l, %r : i32
    iree_gpu.yield %s : i32
  } : i32
  memref.store %a#0, %x[%t] : memref<64xi32>
  gpu.return
}
// -----
gpu.func @unused(%x: memref<64xi32>, %one: i32) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %t = gpu.thread_id x
  %v = memref.load %x[%t] : memref<64xi32>
  // expected-error@+1 {{is inclusive and has an identity, which no lane gets}}
  %a:2 = iree_gpu.subgroup_scan inclusive(%v, identity = %one : i32) {
  ^bb0(%l: i32, %r: i32):
    %s = arith.addi %l, %r : i32
    iree_gpu.yield %s : i32
  } : i32
  memref.store %a#0, %x[%t] : memref<64xi32>
  gpu.return
}
