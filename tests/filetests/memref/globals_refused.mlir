// What launches would share, or no two executors agree about, is refused by name.
// test compile
gpu.module @m {
  memref.global @c : memref<4xf32> = dense<1.0>
  gpu.func @k(%y: memref<4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %b = memref.get_global @c : memref<4xf32> // expected-error {{sees @c, which is not constant: launches would share what is written}}
    gpu.return
  }
}
// -----
gpu.module @m {
  memref.global @c : memref<4xf32> = uninitialized
  gpu.func @k(%y: memref<4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %b = memref.get_global @c : memref<4xf32> // expected-error {{sees @c, which launches would share: nothing says what is in it}}
    gpu.return
  }
}
// -----
gpu.module @m {
  memref.global @c : memref<4xf32>
  gpu.func @k(%y: memref<4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %b = memref.get_global @c : memref<4xf32> // expected-error {{sees @c, which another module defines}}
    gpu.return
  }
}
// -----
gpu.module @m {
  memref.global constant @c : memref<4xf32, 3> = dense<1.0>
  gpu.func @k(%y: memref<4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %b = memref.get_global @c : memref<4xf32, 3> // expected-error {{only memory of the device has initial values}}
    gpu.return
  }
}
// -----
gpu.module @m {
  memref.global constant @c : memref<4xf32, strided<[2]>> = dense<1.0>
  gpu.func @k(%y: memref<4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %b = memref.get_global @c : memref<4xf32, strided<[2]>> // expected-error {{a buffer lies row by row, without gaps}}
    gpu.return
  }
}
// -----
gpu.module @m {
  memref.global constant @c : memref<4xf32> = dense<1.0>
  gpu.func @k(%y: memref<4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "subgroup"} {
    %b = memref.get_global @c : memref<4xf32> // expected-error {{sees @c in the program of a subgroup}}
    gpu.return
  }
}
// -----
gpu.module @m {
  memref.global constant @c : memref<4xf32> = dense<1.0>
  gpu.func @k(%y: memref<4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %v = arith.constant 0.0 : f32
    %b = memref.get_global @c : memref<4xf32> // expected-error {{sees @c, which is constant, and the kernel writes it}}
    %part = memref.subview %b[1] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 1>>
    memref.store %v, %part[%c0] : memref<2xf32, strided<[1], offset: 1>>
    gpu.return
  }
}
// -----
gpu.func @k(%y: memref<4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %b = memref.extract_aligned_pointer_as_index %y : memref<4xf32> -> index // expected-error {{makes a number of an address, which is another one on every executor}}
  gpu.return
}
