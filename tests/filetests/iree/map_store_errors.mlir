// What a map_store cannot be.
// test compile
gpu.module @m {
  gpu.func @element(%v: memref<4xf32>, %m: memref<8xf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = arith.constant dense<0.0> : vector<4xf32>
    iree_linalg_ext.map_store %x into %m { // expected-error {{element types differ: vector<4xf32> and memref<8xf16>}}
    ^bb0(%i: index):
      %t = arith.constant true
      iree_linalg_ext.yield %i, %t : index, i1
    } : vector<4xf32> into memref<8xf16>
    gpu.return
  }
}
// -----
gpu.module @m {
  gpu.func @arguments(%m: memref<8xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = arith.constant dense<0.0> : vector<4xf32>
    iree_linalg_ext.map_store %x into %m { // expected-error {{the region takes 1 index arguments, as vector<4xf32> has dims, found index, index}}
    ^bb0(%i: index, %j: index):
      %t = arith.constant true
      iree_linalg_ext.yield %i, %t : index, i1
    } : vector<4xf32> into memref<8xf32>
    gpu.return
  }
}
// -----
gpu.module @m {
  gpu.func @yields(%m: memref<8xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = arith.constant dense<0.0> : vector<4xf32>
    iree_linalg_ext.map_store %x into %m { // expected-error {{the region yields 1 index values and an i1 for memref<8xf32>, found index}}
    ^bb0(%i: index):
      iree_linalg_ext.yield %i : index
    } : vector<4xf32> into memref<8xf32>
    gpu.return
  }
}
// -----
gpu.module @m {
  gpu.func @looks(%m: memref<8xf32>, %n: memref<4xindex>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = arith.constant dense<0.0> : vector<4xf32>
    iree_linalg_ext.map_store %x into %m {
    ^bb0(%i: index):
      %t = arith.constant true
      %k = memref.load %n[%i] : memref<4xindex> // expected-error {{is computed of an element's indices in iree_linalg_ext.map_store}}
      iree_linalg_ext.yield %k, %t : index, i1
    } : vector<4xf32> into memref<8xf32>
    gpu.return
  }
}
