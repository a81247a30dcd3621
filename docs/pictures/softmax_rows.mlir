// lanewise.args : x = normal(8, 64), y = empty(8, 64) ; grid = (1, 1, 1)
#rows = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [2, 1], outer_tile = [1, 1], thread_tile = [4, 8],
  element_tile = [1, 8], subgroup_strides = [0, 0], thread_strides = [8, 1]>
gpu.func @softmax_rows(%x: memref<8x64xf32>, %y: memref<8x64xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant dense<0xFF800000> : vector<8xf32>
  %none = arith.constant dense<0.0> : vector<8xf32>
  %rows = vector.transfer_read %x[%c0, %c0], %zero {in_bounds = [true, true]} : memref<8x64xf32>, vector<8x64xf32>
  %held = iree_vector_ext.to_layout %rows to layout(#rows) : vector<8x64xf32>
  %top = vector.multi_reduction <maximumf>, %held, %low [1] : vector<8x64xf32> to vector<8xf32>
  %tops = vector.broadcast %top : vector<8xf32> to vector<64x8xf32>
  %wide = vector.transpose %tops, [1, 0] : vector<64x8xf32> to vector<8x64xf32>
  %less = arith.subf %held, %wide : vector<8x64xf32>
  %power = math.exp %less : vector<8x64xf32>
  %sum = vector.multi_reduction <add>, %power, %none [1] : vector<8x64xf32> to vector<8xf32>
  %sums = vector.broadcast %sum : vector<8xf32> to vector<64x8xf32>
  %all = vector.transpose %sums, [1, 0] : vector<64x8xf32> to vector<8x64xf32>
  %out = arith.divf %power, %all : vector<8x64xf32>
  vector.transfer_write %out, %y[%c0, %c0] {in_bounds = [true, true]} : vector<8x64xf32>, memref<8x64xf32>
  gpu.return
}
