gpu.func @single(%x: memref<i32>, %y: memref<i32>) kernel
    attributes {gpu.known_block_size = array<i32: 4, 1, 1>, lanewise.scope = "thread"} {
  %v = amdgpu.raw_buffer_load boundsCheck(false) %x[] : memref<i32> -> i32
  %one = arith.constant 1 : i32
  %none = amdgpu.raw_buffer_load boundsCheck(true) %x[] indexOffset(1) : memref<i32> -> i32
  %sum = arith.addi %v, %none : i32
  amdgpu.raw_buffer_store boundsCheck(true) %sum -> %y[] : i32 -> memref<i32>
  gpu.return
}
