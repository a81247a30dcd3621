// What parts of a workgroup can be, and what their programs may touch.
// test distribute target=sm_80
gpu.func @k() kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  lanewise.split {subgroups = array<i64: 1, 2>} {} {} // expected-error {{has parts of 1 + 2 = 3 subgroups, the workgroup has 4 of 32 threads}}
  gpu.return
}
// -----
gpu.func @k() kernel attributes {gpu.known_block_size = array<i32: 80, 1, 1>} {
  lanewise.split {subgroups = array<i64: 1, 2>} {} {} // expected-error {{has parts of 1 + 2 = 3 subgroups, the workgroup has 2.5 of 32 threads}}
  gpu.return
}
// -----
gpu.func @k() kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  lanewise.split {subgroups = array<i64: 1, 3>} {} { // Right.
    lanewise.split {subgroups = array<i64: 2>} {} // expected-error {{has parts of 2 subgroups, the part around it has 3 of 32 threads}}
  }
  gpu.return
}
// -----
gpu.func @k() kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  lanewise.split {subgroups = array<i64: 1, 3>} {} // expected-error {{has 1 regions for parts of [1, 3] subgroups}}
  gpu.return
}
// -----
gpu.func @k() kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  lanewise.split {subgroups = array<i64: 0, 4>} {} {} // expected-error {{has a part of 0 subgroups, each has at least one}}
  gpu.return
}
// -----
gpu.func @k() kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.scope = "subgroup"} {
  lanewise.split {subgroups = array<i64: 1, 3>} {} {} // expected-error {{divides a workgroup's subgroups, and stands in the program of a subgroup}}
  gpu.return
}
// -----
gpu.func @k(%y: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %x = arith.constant dense<1.0> : vector<64xf32>
  lanewise.split {subgroups = array<i64: 1, 1>} {
    // expected-error@+1 {{takes operand 0, a vector<64xf32>, from outside of 'lanewise.split'}}
    vector.transfer_write %x, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  } {}
  gpu.return
}
// -----
gpu.func @k() kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  lanewise.split {subgroups = array<i64: 1, 1>} {} {
    gpu.return // expected-error {{must be inside a function}}
  }
  gpu.return
}
// -----
gpu.func @k() kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  // expected-error@+1 {{regions take no arguments}}
  "lanewise.split"() <{subgroups = array<i64: 2>}> ({
  ^bb0(%x: f32):
    gpu.barrier
  }) : () -> ()
  gpu.return
}
// -----
// What is finer than its program: a thread's id in a subgroup's, a subgroup's in that of several; one subgroup has a number.
gpu.func @k(%y: memref<4xindex>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  lanewise.split {subgroups = array<i64: 1, 3>} {
    %number = gpu.subgroup_id : index
    memref.store %number, %y[%number] : memref<4xindex>
    %lane = gpu.lane_id // expected-error {{differs within a subgroup, to which the values of this part belong}}
  } {
    %number = gpu.subgroup_id : index // expected-error {{differs within a workgroup, to which the values of a part of 3 subgroups belong}}
  }
  gpu.return
}
// -----
gpu.func @k() kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  lanewise.threads {
    %t = gpu.thread_id x
    gpu.barrier // expected-error {{waits for other threads inside 'lanewise.threads'}}
    lanewise.threads {} // expected-error {{stands in the program of a thread already}}
    lanewise.split {subgroups = array<i64: 2>} {} // expected-error {{divides a workgroup's subgroups, and stands in the program of a thread}}
  }
  gpu.return
}
// -----
// Parts that meet in memory have nothing to order them.
gpu.func @k(%y: memref<64xf32>, %z: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  lanewise.split {subgroups = array<i64: 1, 1>} {
    %x = arith.constant dense<1.0> : vector<64xf32>
    vector.transfer_write %x, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  } {
    // expected-error@+1 {{touches memory that another part of the split touches at the same time, and nothing orders parts}}
    %x = vector.transfer_read %y[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
    vector.transfer_write %x, %z[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  }
  gpu.return
}
// -----
// A number that nobody knows: they may meet.
gpu.func @k(%y: memref<64xf32>, %n: index) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  lanewise.split {subgroups = array<i64: 1, 1>} {
    memref.store %p, %y[%n] : memref<64xf32>
  } {
    memref.store %p, %y[%c0] : memref<64xf32> // expected-error {{may touch memory that another part}}
  }
  gpu.return
}
