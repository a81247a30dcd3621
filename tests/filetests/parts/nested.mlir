// Parts in parts, in a loop, with a program of threads: each hands the next round what it did.
// test roundtrip
// test run
// test run target=gfx1100
// expect sm_80: shared bytes <= 1024
// lanewise.args x = integers(-3, 3, 128), y = empty(128), z = empty(4), w = empty(64); grid = 2
gpu.func @k(%x: memref<128xi32>, %y: memref<128xi32>, %z: memref<4xindex>, %w: memref<64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.subgroup_size = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %p = arith.constant 0 : i32
  %s = memref.alloc() : memref<128xi32, #gpu.address_space<workgroup>>
  %first = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<128xi32>, vector<128xi32>
  vector.transfer_write %first, %s[%c0] {in_bounds = [true]}
      : vector<128xi32>, memref<128xi32, #gpu.address_space<workgroup>>
  scf.for %i = %c0 to %c3 step %c1 {
    lanewise.split {subgroups = array<i64: 2, 2>} {
      %a = vector.transfer_read %s[%c0], %p {in_bounds = [true]}
          : memref<128xi32, #gpu.address_space<workgroup>>, vector<64xi32>
      %b = arith.addi %a, %a : vector<64xi32>
      vector.transfer_write %b, %s[%c0] {in_bounds = [true]}
          : vector<64xi32>, memref<128xi32, #gpu.address_space<workgroup>>
    } {
      lanewise.split {subgroups = array<i64: 1, 1>} {
        %number = gpu.subgroup_id : index
        memref.store %number, %z[%number] : memref<4xindex>
      } {
        %a = vector.transfer_read %s[%c64], %p {in_bounds = [true]}
            : memref<128xi32, #gpu.address_space<workgroup>>, vector<64xi32>
        %t = vector.multi_reduction <add>, %a, %p [0] : vector<64xi32> to i32
        %u = vector.broadcast %t : i32 to vector<64xi32>
        %b = arith.addi %a, %u : vector<64xi32>
        vector.transfer_write %b, %s[%c64] {in_bounds = [true]}
            : vector<64xi32>, memref<128xi32, #gpu.address_space<workgroup>>
      }
    }
  }
  %last = vector.transfer_read %s[%c0], %p {in_bounds = [true]}
      : memref<128xi32, #gpu.address_space<workgroup>>, vector<128xi32>
  vector.transfer_write %last, %y[%c0] {in_bounds = [true]} : vector<128xi32>, memref<128xi32>
  lanewise.split {subgroups = array<i64: 2, 2>} {
    lanewise.threads {
      %t = gpu.thread_id x
      %v = memref.load %s[%t] : memref<128xi32, #gpu.address_space<workgroup>>
      %lane = gpu.lane_id
      %l = arith.index_cast %lane : index to i32
      %sum = arith.addi %v, %l : i32
      %near = arith.cmpi slt, %v, %l : i32
      scf.if %near {
        memref.store %sum, %w[%t] : memref<64xi32>
      } else {
        memref.store %v, %w[%t] : memref<64xi32>
      }
    }
  } {}
  memref.store %c0, %z[%c0] : memref<4xindex>
  memref.store %c0, %z[%c1] : memref<4xindex>
  memref.store %c0, %z[%c3] : memref<4xindex>
  gpu.return
}
