// An update that no instruction does: counts that stop at five, of halves of words and of whole ones.
// test roundtrip
// test run
// test run target=gfx942
// test run target=gfx1100
// test run target=sm_80
// 128 threads do two updates, each at least one exchange.
// expect sm_90: loads 1, stores 0, atomics >= 256
// expect gfx942: stores 0, atomics >= 256
// lanewise.args x = integers(0, 15, 256), y = zeros(16), z = zeros(16); grid = 2
gpu.func @saturating(%x: memref<256xi32>, %y: memref<16xi32>, %z: memref<16xi16>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.global_id x
  %bin32 = memref.load %x[%id] : memref<256xi32>
  %bin = arith.index_cast %bin32 : i32 to index
  %c5 = arith.constant 5 : i32
  %c1 = arith.constant 1 : i32
  %h5 = arith.constant 5 : i16
  %h1 = arith.constant 1 : i16
  %old = memref.generic_atomic_rmw %y[%bin] : memref<16xi32> {
  ^bb0(%c: i32):
    %d = arith.addi %c, %c1 : i32
    %e = arith.minsi %d, %c5 : i32
    memref.atomic_yield %e : i32
  }
  %other = memref.generic_atomic_rmw %z[%bin] : memref<16xi16> {
  ^bb0(%c: i16):
    %d = arith.addi %c, %h1 : i16
    %e = arith.minsi %d, %h5 : i16
    memref.atomic_yield %e : i16
  }
  gpu.return
}

// -----

// The workgroup's program does it once.
// Of four that meet, one gets through each time: at most 4 + 3 + 2 + 1 exchanges.
// expect sm_90: atomics >= 4, atomics <= 10
// expect gfx942: atomics >= 4, atomics <= 10
// lanewise.args y = full(1, value=3); grid = 4
gpu.func @once(%y: memref<1xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2.0 : f32
  %old = memref.generic_atomic_rmw %y[%c0] : memref<1xf32> {
  ^bb0(%c: f32):
    %d = arith.mulf %c, %two : f32
    memref.atomic_yield %d : f32
  }
  gpu.return
}

// -----

// The same in memory of its own: the buffer is written before, and read behind, by all threads. The workgroup has one barrier
// for each. Nobody comes between: one exchange a workgroup.
// expect sm_90: atomics 2, barriers 2
// lanewise.args y = zeros(2, 64); grid = 2
gpu.func @own(%y: memref<2x64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %two = arith.constant 2.0 : f32
  %ones = arith.constant dense<1.0> : vector<64xf32>
  %b = gpu.block_id x
  %s = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
  vector.transfer_write %ones, %s[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  %old = memref.generic_atomic_rmw %s[%c5] : memref<64xf32, #gpu.address_space<workgroup>> {
  ^bb0(%c: f32):
    %d = arith.addf %c, %two : f32
    memref.atomic_yield %d : f32
  }
  %v = vector.transfer_read %s[%c0], %two {in_bounds = [true]} : memref<64xf32, #gpu.address_space<workgroup>>, vector<64xf32>
  vector.transfer_write %v, %y[%b, %c0] {in_bounds = [true]} : vector<64xf32>, memref<2x64xf32>
  gpu.return
}
