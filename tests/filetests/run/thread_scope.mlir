// A program of single threads: each lane reads its neighbour's element with a shuffle.
// test roundtrip
// test run
// lanewise.args x = index(64), y = empty(64)
gpu.func @rotate(%x: memref<64xi32>, %y: memref<64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %one = arith.constant 1 : i32
  %width = arith.constant 32 : i32
  %id = gpu.thread_id x
  %own = memref.load %x[%id] : memref<64xi32>
  %other, %valid = gpu.shuffle xor %own, %one, %width : i32
  memref.store %other, %y[%id] : memref<64xi32>
  gpu.return
}
