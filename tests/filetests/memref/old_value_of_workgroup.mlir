// The old value of a workgroup's update is all its threads': tiles are taken from a queue, by tickets.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// Wider than a subgroup, the number goes through shared memory.
// expect sm_90: barriers >= 1
// lanewise.args x = integers(0, 9, 700), y = zeros(700), next = zeros(1) ; grid = 3
gpu.func @queue(%x: memref<?xi32>, %y: memref<?xi32>, %next: memref<1xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %pad = arith.constant 0 : i32
  %tiles = arith.constant 6 : i32
  %extent = arith.constant 128 : index
  %first = memref.atomic_rmw addi %one, %next[%c0] : (i32, memref<1xi32>) -> i32
  %end = scf.while (%mine = %first) : (i32) -> i32 {
    %more = arith.cmpi slt, %mine, %tiles : i32
    scf.condition(%more) %mine : i32
  } do {
  ^bb0(%mine: i32):
    %tile = arith.index_cast %mine : i32 to index
    %start = arith.muli %tile, %extent : index
    %v = vector.transfer_read %x[%start], %pad : memref<?xi32>, vector<128xi32>
    %w = arith.addi %v, %v : vector<128xi32>
    vector.transfer_write %w, %y[%start] : vector<128xi32>, memref<?xi32>
    %again = memref.atomic_rmw addi %one, %next[%c0] : (i32, memref<1xi32>) -> i32
    scf.yield %again : i32
  }
  gpu.return
}
