// What lanes do together, in words that are short for shuffles: every value is exact.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// lanewise.args x = index(64), y = empty(64, 5), z = empty(64)
// A shuffle for each rotation and broadcast, a ballot is an instruction of its own; on AMD the broadcasts read a lane.
// expect sm_90: shuffles 4, barriers 0
// expect gfx942: shuffles <= 4, barriers 0
gpu.func @rotated(%x: memref<64xf32>, %y: memref<64x5xf32>, %z: memref<64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %own = memref.load %x[%id] : memref<64xf32>
  %a, %first = gpu.rotate %own, 3, 8 : f32
  %half = arith.truncf %own : f32 to f16
  %b16, %all = gpu.rotate %half, 0, 32 : f16
  %b = arith.extf %b16 : f16 to f32
  %lane = arith.constant 5 : i32
  %c = gpu.subgroup_broadcast %own, first_active_lane : f32
  %d = gpu.subgroup_broadcast %own, specific_lane %lane : f32
  %none = arith.constant 0.0 : f32
  %e = arith.select %first, %a, %none : f32
  memref.store %a, %y[%id, %c0] : memref<64x5xf32>
  memref.store %b, %y[%id, %c1] : memref<64x5xf32>
  memref.store %c, %y[%id, %c2] : memref<64x5xf32>
  memref.store %d, %y[%id, %c3] : memref<64x5xf32>
  memref.store %e, %y[%id, %c4] : memref<64x5xf32>
  %limit = arith.constant 40.0 : f32
  %above = arith.cmpf oge, %own, %limit : f32
  %wide = gpu.ballot %above : i64
  %bits = gpu.ballot %above : i32
  %number = arith.trunci %wide : i64 to i32
  %sum = arith.addi %bits, %number : i32
  memref.store %sum, %z[%id] : memref<64xi32>
  gpu.return
}

// -----

// The last subgroup has 18 lanes of 32: bits that no lane has are zero. 50 lanes of 64 are 50 bits.
// expect sm_90: thread gpu.ballot 2, shuffles 0, barriers 0
// expect gfx942: thread gpu.ballot 2, shuffles 0, instructions <= 30
// lanewise.args x = index(50), z = empty(50), w = empty(50)
gpu.func @ballots(%x: memref<50xi32>, %z: memref<50xi64>, %w: memref<50xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 50, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %own = memref.load %x[%id] : memref<50xi32>
  %c3 = arith.constant 3 : i32
  %r = arith.remsi %own, %c3 : i32
  %c0 = arith.constant 0 : i32
  %p = arith.cmpi eq, %r, %c0 : i32
  %a = gpu.ballot %p : i64
  %b = gpu.ballot %p : i32
  memref.store %a, %z[%id] : memref<50xi64>
  memref.store %b, %w[%id] : memref<50xi32>
  gpu.return
}

// -----

// A workgroup is a cluster of its own.
// lanewise.args y = empty(3, 2, 5); grid = (3, 2, 1)
gpu.func @clusters(%y: memref<3x2x5xindex>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %x = gpu.block_id x
  %z = gpu.block_id y
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %0 = gpu.cluster_id x
  %1 = gpu.cluster_id y
  %2 = gpu.cluster_dim x
  %3 = gpu.cluster_dim_blocks y
  %4 = gpu.cluster_block_id x
  memref.store %0, %y[%x, %z, %c0] : memref<3x2x5xindex>
  memref.store %1, %y[%x, %z, %c1] : memref<3x2x5xindex>
  memref.store %2, %y[%x, %z, %c2] : memref<3x2x5xindex>
  memref.store %3, %y[%x, %z, %c3] : memref<3x2x5xindex>
  memref.store %4, %y[%x, %z, %c4] : memref<3x2x5xindex>
  gpu.return
}
