// Of what lies in one of IREE's storage buffers AMD's chips make a raw buffer; of other tensors nothing.
// test roundtrip
// test run target=gfx942
// test run target=gfx1100
// lanewise.args x = normal(8, 64), z = normal(8, 64), y = empty(8, 64)
#storage = #hal.descriptor_type<storage_buffer>
gpu.func @added(%x: memref<8x64xf32, #storage>, %z: memref<8x64xf32>, %y: memref<8x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %stride = arith.constant 256 : index
  %pad = arith.constant 0.0 : f32
  %a = iree_codegen.load_from_buffer %x : memref<8x64xf32, #storage> -> tensor<8x64xf32>
  %b = iree_gpu.buffer_resource_cast %a cacheSwizzleStride(%stride) : tensor<8x64xf32>
  %c = iree_codegen.load_from_buffer %z : memref<8x64xf32> -> tensor<8x64xf32>
  %d = iree_gpu.buffer_resource_cast %c : tensor<8x64xf32>
  %u = vector.transfer_read %b[%c0, %c0], %pad {in_bounds = [true, true]} : tensor<8x64xf32>, vector<8x64xf32>
  %v = vector.transfer_read %d[%c0, %c0], %pad {in_bounds = [true, true]} : tensor<8x64xf32>, vector<8x64xf32>
  %w = arith.addf %u, %v : vector<8x64xf32>
  vector.transfer_write %w, %y[%c0, %c0] {in_bounds = [true, true]} : vector<8x64xf32>, memref<8x64xf32>
  gpu.return
}
