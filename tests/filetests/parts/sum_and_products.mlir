// One subgroup adds up a vector while the others scale another by its sum; what they store is their own.
// test roundtrip
// test run
// test run target=gfx1100
// Sums go by shuffles inside of a subgroup: nothing is exchanged, and no part waits for another.
// expect sm_80: barriers 0, shared bytes 0, executed barriers 0, layout lanewise.split 1, thread lanewise.split 1
// expect gfx1100: barriers 0, shared bytes 0
// lanewise.args a = integers(-3, 3, 64), b = integers(-3, 3, 192), total = empty(1), scaled = empty(192); grid = 1
gpu.func @f(%a: memref<64xf32>, %b: memref<192xf32>, %total: memref<1xf32>, %scaled: memref<192xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.subgroup_size = 32 : i64} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  lanewise.split {subgroups = array<i64: 1, 3>} {
    %x = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
    %s = vector.multi_reduction <add>, %x, %z [0] : vector<64xf32> to f32
    memref.store %s, %total[%c0] : memref<1xf32>
  } {
    %x = vector.transfer_read %b[%c0], %z {in_bounds = [true]} : memref<192xf32>, vector<192xf32>
    %y = arith.mulf %x, %x : vector<192xf32>
    vector.transfer_write %y, %scaled[%c0] {in_bounds = [true]} : vector<192xf32>, memref<192xf32>
  }
  gpu.return
}
