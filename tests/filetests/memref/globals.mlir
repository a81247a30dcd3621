// Buffers of a module: constant data, which every workgroup fills its own copy with, and uninitialised workgroup memory.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// lanewise.args x = index(64), y = empty(64), z = empty(64)
memref.global "private" constant @primes : memref<8xi32> = dense<[2, 3, 5, 7, 11, 13, 17, 19]> alignment = 16
memref.global "private" constant @one : memref<i32> = dense<1>
memref.global @row : memref<64xi32, #gpu.address_space<workgroup>> = uninitialized
// y[i] = primes[x[i] mod 8] + 1; z[i] = y[63 - i] through workgroup memory, which two operations name.
// expect sm_90: layout memref.alloc 3
gpu.func @workgroup(%x: memref<64xi32>, %y: memref<64xi32>, %z: memref<64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = memref.get_global @primes : memref<8xi32>
  %o = memref.get_global @one : memref<i32>
  %pad = arith.constant 0 : i32
  %i = vector.transfer_read %x[%c0], %pad {in_bounds = [true]} : memref<64xi32>, vector<64xi32>
  %eight = arith.constant dense<8> : vector<64xi32>
  %at = arith.remsi %i, %eight : vector<64xi32>
  %all = arith.constant dense<true> : vector<64xi1>
  %none = arith.constant dense<-1> : vector<64xi32>
  %v = vector.gather %p[%c0][%at], %all, %none : memref<8xi32>, vector<64xi32>, vector<64xi1>, vector<64xi32> into vector<64xi32>
  %1 = memref.load %o[] : memref<i32>
  %ones = vector.broadcast %1 : i32 to vector<64xi32>
  %w = arith.addi %v, %ones : vector<64xi32>
  vector.store %w, %y[%c0] : memref<64xi32>, vector<64xi32>
  %r = memref.get_global @row : memref<64xi32, #gpu.address_space<workgroup>>
  vector.store %w, %r[%c0] : memref<64xi32, #gpu.address_space<workgroup>>, vector<64xi32>
  %again = memref.get_global @row : memref<64xi32, #gpu.address_space<workgroup>>
  %last = arith.constant dense<63> : vector<64xi32>
  %back = arith.subi %last, %i : vector<64xi32>
  %u = vector.gather %again[%c0][%back], %all, %none : memref<64xi32, #gpu.address_space<workgroup>>, vector<64xi32>, vector<64xi1>, vector<64xi32> into vector<64xi32>
  vector.store %u, %z[%c0] : memref<64xi32>, vector<64xi32>
  gpu.return
}
// -----
// Of a thread: each has its own copy of what is constant, and they share what is the workgroup's.
// lanewise.args y = empty(64)
gpu.module @m {
  memref.global constant @table : memref<2x2xf32> = dense<[[0.5, 1.5], [2.5, 3.5]]>
  memref.global @all : memref<64xf32, 3> = uninitialized
  gpu.func @thread(%y: memref<64xf32>) kernel
      attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
    %t = gpu.thread_id x
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c63 = arith.constant 63 : index
    %i = arith.remui %t, %c2 : index
    %h = arith.divui %t, %c2 : index
    %j = arith.remui %h, %c2 : index
    %table = memref.get_global @table : memref<2x2xf32>
    %v = memref.load %table[%j, %i] : memref<2x2xf32>
    %all = memref.get_global @all : memref<64xf32, 3>
    memref.store %v, %all[%t] : memref<64xf32, 3>
    gpu.barrier
    %other = arith.subi %c63, %t : index
    %w = memref.load %all[%other] : memref<64xf32, 3>
    memref.store %w, %y[%t] : memref<64xf32>
    gpu.return
  }
}
