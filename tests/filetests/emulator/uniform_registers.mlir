// test run target=gfx1201
// test run target=gfx1100
// Registers that are the same for all waves but differ from lane to lane, with waves that have diverged.
// lanewise.args o = empty(2); grid = 2
gpu.func @f(%o: memref<2xf64>) kernel attributes {gpu.known_block_size = array<i32: 256, 1, 1>, lanewise.subgroup_size = 32 : i64} {
  %v = arith.constant dense<0.0> : vector<48xf64>
  %one = arith.constant 1.0 : f64
  %r = vector.multi_reduction <mul>, %v, %one [0] : vector<48xf64> to f64
  %i = gpu.block_id x
  memref.store %r, %o[%i] : memref<2xf64>
  gpu.return
}
