// Memory that nobody uses is none: these 400,000 bytes are more than a workgroup has.
// expect sm_80: shared bytes 0
// expect gfx942: shared bytes 0
gpu.func @unused(%y: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %m = memref.alloc() : memref<100000xf32, #gpu.address_space<workgroup>>
  memref.store %one, %y[%c0] : memref<64xf32>
  gpu.return
}
