// A layout of modes: in 256 threads of 8 or 4 subgroups, 2 x 8 x 4 rows of threads and registers, lanes and elements along
// the other dimension. The layout stage has the nested layout that it is.
// test roundtrip
// test run
// test run target=gfx942
// 2048 floats. By rows each of 256 threads has 8 of them, one of each row; turned, each of the 128 that are told apart has 16. They
// go through shared memory, 8 KiB at once, where AMD reads two with one instruction.
// expect sm_90: conversions 1, loads 8, shared stores 8, barriers 1, shared bytes 8192, shared loads 16, stores 16
// expect gfx942: conversions 1, loads 8, shared stores 8, barriers 1, shared bytes 8192, shared loads 8, stores 16
// lanewise.args x = index(64, 32), y = empty(64, 32); grid = 1
#rows = #iree_map.pack_layout<((4, 8, 2), (8, 4)) : ((64, 0, 8), (1, 0))>
#turned = #iree_map.pack_layout<((4, 16), (2, 16)) : ((16, 0), (64, 1))>
gpu.func @packed(%x: memref<64x32xf32>, %y: memref<64x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x32xf32>, vector<64x32xf32>
  %r = iree_vector_ext.to_layout %v to layout(#rows) : vector<64x32xf32>
  %t = iree_vector_ext.to_layout %r to layout(#turned) : vector<64x32xf32>
  %s = arith.addf %t, %t : vector<64x32xf32>
  vector.transfer_write %s, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x32xf32>, memref<64x32xf32>
  gpu.return
}
