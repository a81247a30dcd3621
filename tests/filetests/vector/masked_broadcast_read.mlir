// A masked transfer whose map names no dimension of the buffer.
// test roundtrip
// test run
// test run target=gfx942
// lanewise.args a = index(4), b = empty(1); grid = 1
gpu.func @f(%a: memref<4xi32>, %b: memref<1xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant -48 : i32
  %m = vector.constant_mask [1] : vector<1xi1>
  %v = vector.transfer_read %a[%c0], %p, %m {permutation_map = affine_map<(d0) -> (0)>} : memref<4xi32>, vector<1xi32>
  vector.transfer_write %v, %b[%c0] : vector<1xi32>, memref<1xi32>
  gpu.return
}

// -----
// lanewise.args a = index(4), b = empty(8); grid = 1
gpu.func @empty(%a: memref<4xi32>, %b: memref<8xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %p = arith.constant -48 : i32
  %m = vector.constant_mask [0] : vector<1xi1>
  %v = vector.transfer_read %a[%c2], %p, %m {permutation_map = affine_map<(d0) -> (0)>} : memref<4xi32>, vector<8xi32>
  vector.transfer_write %v, %b[%c0] : vector<8xi32>, memref<8xi32>
  gpu.return
}

// -----
// lanewise.args a = index(4), b = empty(8), n = 1; grid = 1
gpu.func @dynamic(%a: memref<4xi32>, %b: memref<8xi32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %p = arith.constant -48 : i32
  %m = vector.create_mask %n : vector<1xi1>
  %v = vector.transfer_read %a[%c2], %p, %m {permutation_map = affine_map<(d0) -> (0)>} : memref<4xi32>, vector<8xi32>
  vector.transfer_write %v, %b[%c0] : vector<8xi32>, memref<8xi32>
  gpu.return
}
