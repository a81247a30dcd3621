// What cannot be joined part by part.
// test layout target=sm_90
gpu.func @f(%x: memref<8x1024xf32>, %y: memref<1024xf32>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<8xf32>
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x1024xf32>, vector<8x1024xf32>
  // expected-error@+1 {{lowering_config: partial_reduction: 300 does not divide 1024, the extent of iterator d1}}
  %s = vector.multi_reduction <add>, %a, %z {lowering_config = #iree_gpu.lowering_config<{partial_reduction = [0, 300]}>} [1] : vector<8x1024xf32> to vector<8xf32>
  vector.transfer_write %s, %y[%c0] {in_bounds = [true]} : vector<8xf32>, memref<1024xf32>
  gpu.return
}
// -----
gpu.func @f(%x: memref<8x1024xf32>, %y: memref<1024xf32>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<8xf32>
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x1024xf32>, vector<8x1024xf32>
  // expected-error@+1 {{lowering_config: partial_reduction divides iterator d0, which is parallel}}
  %s = vector.multi_reduction <add>, %a, %z {lowering_config = #iree_gpu.lowering_config<{partial_reduction = [4, 0]}>} [1] : vector<8x1024xf32> to vector<8xf32>
  vector.transfer_write %s, %y[%c0] {in_bounds = [true]} : vector<8xf32>, memref<1024xf32>
  gpu.return
}
// -----
gpu.func @f(%x: memref<8x1024xf32>, %y: memref<1024xf32>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<8xf32>
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x1024xf32>, vector<8x1024xf32>
  // expected-error@+1 {{lowering_config: partial_reduction must have 2 sizes, one for each iterator}}
  %s = vector.multi_reduction <add>, %a, %z {lowering_config = #iree_gpu.lowering_config<{partial_reduction = [256]}>} [1] : vector<8x1024xf32> to vector<8xf32>
  vector.transfer_write %s, %y[%c0] {in_bounds = [true]} : vector<8xf32>, memref<1024xf32>
  gpu.return
}
// -----
gpu.func @f(%x: memref<8x1024xf32>, %y: memref<1024xf32>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<8xf32>
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x1024xf32>, vector<8x1024xf32>
  vector.transfer_write %z, %x[%c0, %c0] {in_bounds = [true]} : vector<8xf32>, memref<8x1024xf32>
  // expected-error@+1 {{lowering_config: reads memory that is written before its tiles would be read}}
  %s = vector.multi_reduction <add>, %a, %z {lowering_config = #iree_gpu.lowering_config<{partial_reduction = [0, 256]}>} [1] : vector<8x1024xf32> to vector<8xf32>
  vector.transfer_write %s, %y[%c0] {in_bounds = [true]} : vector<8xf32>, memref<1024xf32>
  gpu.return
}
// -----
gpu.func @f(%x: memref<8x1024xf32>, %y: memref<1024xf32>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<8xf32>
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x1024xf32>, vector<8x1024xf32>
  %c = vector.shape_cast %a : vector<8x1024xf32> to vector<8192xf32>
  %b = vector.shape_cast %c : vector<8192xf32> to vector<8x1024xf32>
  // expected-error@+1 {{lowering_config: takes a value of which no tile can be made}}
  %s = vector.multi_reduction <add>, %b, %z {lowering_config = #iree_gpu.lowering_config<{partial_reduction = [0, 256]}>} [1] : vector<8x1024xf32> to vector<8xf32>
  vector.transfer_write %s, %y[%c0] {in_bounds = [true]} : vector<8xf32>, memref<1024xf32>
  gpu.return
}
// -----
gpu.func @f(%x: memref<8x1024xf32>, %y: memref<1024xf32>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<8xf32>
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x1024xf32>, vector<8x1024xf32>
  %b = vector.transfer_read %y[%c0], %p {in_bounds = [true]} : memref<1024xf32>, vector<1024xf32>
  // expected-error@+2 {{lowering_config: partial_reduction beside reduction}}
  %s = vector.contract {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>,
    lowering_config = #iree_gpu.lowering_config<{partial_reduction = [0, 256], reduction = [0, 256]}>} %a, %b, %z : vector<8x1024xf32>, vector<1024xf32> into vector<8xf32>
  vector.transfer_write %s, %y[%c0] {in_bounds = [true]} : vector<8xf32>, memref<1024xf32>
  gpu.return
}
// -----
gpu.func @f(%x: memref<8x1024xf32>, %y: memref<1024xf32>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<8xf32>
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x1024xf32>, vector<8x1024xf32>
  %b = vector.transfer_read %y[%c0], %p {in_bounds = [true]} : memref<1024xf32>, vector<1024xf32>
  // expected-error@+2 {{lowering_config: partial_reduction beside padding}}
  %s = vector.contract {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>,
    lowering_config = #iree_gpu.lowering_config<{partial_reduction = [0, 256], padding = [0, 256]}>} %a, %b, %z : vector<8x1024xf32>, vector<1024xf32> into vector<8xf32>
  vector.transfer_write %s, %y[%c0] {in_bounds = [true]} : vector<8xf32>, memref<1024xf32>
  gpu.return
}
// -----
gpu.func @f(%x: memref<8x1024xf32>, %y: memref<1024xf32>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<8xf32>
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x1024xf32>, vector<8x1024xf32>
  %b = vector.transfer_read %y[%c0], %p {in_bounds = [true]} : memref<1024xf32>, vector<1024xf32>
  // expected-error@+2 {{lowering_config: partial_reduction divides iterator d0, which is parallel}}
  %s = vector.contract {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>,
    lowering_config = #iree_gpu.lowering_config<{partial_reduction = [8, 256]}>} %a, %b, %z : vector<8x1024xf32>, vector<1024xf32> into vector<8xf32>
  vector.transfer_write %s, %y[%c0] {in_bounds = [true]} : vector<8xf32>, memref<1024xf32>
  gpu.return
}
