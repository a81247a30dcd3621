// Workgroup b adds b times to its own shared memory, at looked-up places: the reference looks at the workgroups that still run.
// test roundtrip
// test run target=sm_90
// test run target=gfx942
// lanewise.args : y = empty(4, 32) ; grid = (4, 1, 1)
gpu.func @f(%y: memref<4x32xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %zeros = arith.constant dense<0> : vector<32xi32>
  %on = arith.constant dense<true> : vector<32xi1>
  %last = arith.constant dense<31> : vector<32xindex>
  %b = gpu.block_id x
  %own = memref.alloc() : memref<32xi32, #gpu.address_space<workgroup>>
  vector.transfer_write %zeros, %own[%c0] {in_bounds = [true]} : vector<32xi32>, memref<32xi32, #gpu.address_space<workgroup>>
  %step = vector.step : vector<32xindex>
  %places = arith.subi %last, %step : vector<32xindex>
  %values = arith.index_cast %step : vector<32xindex> to vector<32xi32>
  scf.for %i = %c0 to %b step %c1 {
    lanewise.update addi %values, %own[%c0][%places], %on
      : vector<32xi32>, memref<32xi32, #gpu.address_space<workgroup>>, vector<32xindex>, vector<32xi1>
  }
  %sums = vector.transfer_read %own[%c0], %zero {in_bounds = [true]} : memref<32xi32, #gpu.address_space<workgroup>>, vector<32xi32>
  vector.transfer_write %sums, %y[%b, %c0] {in_bounds = [true]} : vector<32xi32>, memref<4x32xi32>
  gpu.return
}
