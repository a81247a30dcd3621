// AMD's chips have a barrier of a whole workgroup only, and a subgroup needs none.
// test compile target=gfx942 emit=amdgcn
gpu.func @k() kernel attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  lanewise.split {subgroups = array<i64: 1, 3>} {
    gpu.barrier
  } {
    gpu.barrier // expected-error {{is of 3 of the workgroup's subgroups; gfx942 has barriers of all of them only}}
  }
  gpu.return
}
// -----
// What is inferred is located where it would stand: a thread of one subgroup writes what threads of another read.
gpu.func @inferred(%a: memref<128xf32>, %b: memref<128xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 0.0 : f32
  lanewise.split {subgroups = array<i64: 2, 2>} {
    %x = vector.transfer_read %a[%c1], %p : memref<128xf32>, vector<128xf32>
    vector.transfer_write %x, %a[%c0] {in_bounds = [true]} : vector<128xf32>, memref<128xf32> // expected-error {{is of 2 of the workgroup's subgroups; gfx942 has barriers of all of them only}}
  } {
  }
  gpu.return
}
// -----
// A part of all subgroups has the workgroup's barrier.
gpu.func @whole(%a: memref<256xf32>) kernel attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 0.0 : f32
  lanewise.split {subgroups = array<i64: 4>} {
    %x = vector.transfer_read %a[%c1], %p : memref<256xf32>, vector<256xf32>
    vector.transfer_write %x, %a[%c0] {in_bounds = [true]} : vector<256xf32>, memref<256xf32>
  }
  gpu.return
}
