// What nvgpu.stmatrix needs of its memory and its pieces.
// test verify
module attributes {lanewise.stage = "thread"} {
gpu.func @f(%A: memref<32x4xf16>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  %s = memref.alloc() : memref<32x16xf16, #gpu.address_space<workgroup>>
  %e = vector.load %A[%t, %c0] : memref<32x4xf16>, vector<4xf16>
  %f = vector.shape_cast %e : vector<4xf16> to vector<2x2xf16>
  nvgpu.stmatrix %f, %s[%t, %c0] : vector<2x2xf16>, memref<32x16xf16, #gpu.address_space<workgroup>>
  gpu.return
}
}
// -----
module attributes {lanewise.stage = "thread"} {
gpu.func @f(%A: memref<32x4xf16>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  %s = memref.alloc() : memref<32x16xf16, #gpu.address_space<workgroup>>
  %e = vector.load %A[%t, %c0] : memref<32x4xf16>, vector<4xf16>
  %f = vector.shape_cast %e : vector<4xf16> to vector<2x2xf16>
  // expected-error@+1 {{needs 2 indices for memref<32x16xf16, #gpu.address_space<workgroup>>, found 1}}
  nvgpu.stmatrix %f, %s[%t] : vector<2x2xf16>, memref<32x16xf16, #gpu.address_space<workgroup>>
  gpu.return
}
}
// -----
module attributes {lanewise.stage = "thread"} {
gpu.func @f(%A: memref<32x4xf16>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  %s = memref.alloc() : memref<32x16xf16>
  %e = vector.load %A[%t, %c0] : memref<32x4xf16>, vector<4xf16>
  %f = vector.shape_cast %e : vector<4xf16> to vector<2x2xf16>
  // expected-error@+1 {{writes workgroup memory (#gpu.address_space<workgroup>), found memref<32x16xf16>}}
  nvgpu.stmatrix %f, %s[%t, %c0] : vector<2x2xf16>, memref<32x16xf16>
  gpu.return
}
}
// -----
module attributes {lanewise.stage = "thread"} {
gpu.func @f(%A: memref<32x4xf16>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  %s = memref.alloc() : memref<32x16xbf16, #gpu.address_space<workgroup>>
  %e = vector.load %A[%t, %c0] : memref<32x4xf16>, vector<4xf16>
  %f = vector.shape_cast %e : vector<4xf16> to vector<2x2xf16>
  // expected-error@+1 {{element types differ: memref<32x16xbf16, #gpu.address_space<workgroup>> and vector<2x2xf16>}}
  nvgpu.stmatrix %f, %s[%t, %c0] : vector<2x2xf16>, memref<32x16xbf16, #gpu.address_space<workgroup>>
  gpu.return
}
}
// -----
module attributes {lanewise.stage = "thread"} {
gpu.func @f(%A: memref<32x8xi8>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  %s = memref.alloc() : memref<32x16xi8, #gpu.address_space<workgroup>>
  %e = vector.load %A[%t, %c0] : memref<32x8xi8>, vector<8xi8>
  %f = vector.shape_cast %e : vector<8xi8> to vector<2x4xi8>
  // expected-error@+1 {{transposes 16-bit elements only, found i8}}
  nvgpu.stmatrix %f, %s[%t, %c0] {transpose = true} : vector<2x4xi8>, memref<32x16xi8, #gpu.address_space<workgroup>>
  gpu.return
}
}
// -----
module attributes {lanewise.stage = "thread"} {
gpu.func @f(%A: memref<32x6xf16>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  %s = memref.alloc() : memref<32x16xf16, #gpu.address_space<workgroup>>
  %e = vector.load %A[%t, %c0] : memref<32x6xf16>, vector<6xf16>
  %f = vector.shape_cast %e : vector<6xf16> to vector<3x2xf16>
  // expected-error@+1 {{stores 1, 2 or 4 pieces of 32 bits, found vector<3x2xf16>}}
  nvgpu.stmatrix %f, %s[%t, %c0] : vector<3x2xf16>, memref<32x16xf16, #gpu.address_space<workgroup>>
  gpu.return
}
}
