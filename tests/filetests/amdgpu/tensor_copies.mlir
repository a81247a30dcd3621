// Tiles of tensors that gfx1250 copies by a descriptor.
// test roundtrip
// test run target=gfx1250
// A tile of 4x8 that begins at row 5, column 12 of 8x16: of rows 5 to 7 the columns 12 to 15 are there, the rest is zero. In
// LDS two words stay after every eight: rows begin ten apart. The first wave copies for all.
// expect gfx1250: barriers 2, copies 1
// lanewise.args x = index(8, 16), y = empty(4, 10) ; grid = 1
#group = #gpu.address_space<workgroup>
gpu.func @padded(%x: memref<8x16xi32, #gpu.address_space<global>>, %y: memref<4x10xi32, #gpu.address_space<global>>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c10 = arith.constant 10 : index
  %c12 = arith.constant 12 : index
  %c32 = arith.constant 32 : index
  %c40 = arith.constant 40 : index
  %two = arith.constant 2 : i32
  %eight = arith.constant 8 : i32
  %old = arith.constant -1 : i32
  %s = memref.alloc() : memref<4x10xi32, #group>
  %t = gpu.thread_id x
  %first = arith.cmpi ult, %t, %c32 : index
  %mine = arith.cmpi ult, %t, %c40 : index
  %row = arith.divui %t, %c10 : index
  %column = arith.remui %t, %c10 : index
  scf.if %mine {
    memref.store %old, %s[%row, %column] : memref<4x10xi32, #group>
  }
  gpu.barrier
  scf.if %first {
    %b = amdgpu.make_dma_base %x[%c5, %c12], %s[%c0, %c0] : memref<8x16xi32, #gpu.address_space<global>>, memref<4x10xi32, #group> -> !amdgpu.tdm_base<i32>
    %d = amdgpu.make_dma_descriptor %b globalSize [%c3, 4] globalStride [16, 1] sharedSize [4, 8] padShared(%two every %eight) : !amdgpu.tdm_base<i32> -> !amdgpu.tdm_descriptor
    amdgpu.tensor_load_to_lds %d : !amdgpu.tdm_descriptor
    amdgpu.memory_counter_wait tensor(0)
  }
  gpu.barrier
  scf.if %mine {
    %v = memref.load %s[%row, %column] : memref<4x10xi32, #group>
    memref.store %v, %y[%row, %column] : memref<4x10xi32, #gpu.address_space<global>>
  }
  gpu.return
}
// -----
// Rows 2, 2, 9 and 11 of 10x8: what is behind the tensor is zero. A barrier in LDS is arrived at once, behind the copy.
// lanewise.args x = index(10, 8), y = empty(4, 8) ; grid = 1
#group = #gpu.address_space<workgroup>
gpu.func @gathered(%x: memref<10x8xi16, #gpu.address_space<global>>, %y: memref<4x8xi16, #gpu.address_space<global>>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  %false = arith.constant false
  %rows = arith.constant dense<[2, 2, 9, 11]> : vector<4xi16>
  %s = memref.alloc() : memref<4x8xi16, #group>
  %w = memref.alloc() : memref<2x!amdgpu.ds_barrier_state, #group>
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  %row = arith.divui %t, %c8 : index
  %column = arith.remui %t, %c8 : index
  scf.if %first {
    amdgpu.ds_barrier_init %w[%c0], %one : memref<2x!amdgpu.ds_barrier_state, #group>, i32
  }
  gpu.barrier
  %b = amdgpu.make_gather_dma_base %x[%c0, %c0], %s[%c0, %c0] : memref<10x8xi16, #gpu.address_space<global>>, memref<4x8xi16, #group> -> !amdgpu.tdm_gather_base<i16, i16>
  %d = amdgpu.make_gather_dma_descriptor %b[%rows] globalSize [10, 8] globalStride [8, 1] sharedSize [4, 8] atomicBarrier(%w[%c0] : memref<2x!amdgpu.ds_barrier_state, #group>) : !amdgpu.tdm_gather_base<i16, i16>, vector<4xi16> -> !amdgpu.tdm_descriptor
  amdgpu.tensor_load_to_lds %d : !amdgpu.tdm_descriptor
  scf.while (%n = %false) : (i1) -> () {
    %now = amdgpu.ds_barrier_poll_state %w[%c0] : memref<2x!amdgpu.ds_barrier_state, #group> -> !amdgpu.ds_barrier_state
    %odd = amdgpu.ds_barrier_state_phase_parity %now : !amdgpu.ds_barrier_state -> i1
    %even = arith.cmpi eq, %odd, %false : i1
    scf.condition(%even)
  } do {
    scf.yield %false : i1
  }
  %v = memref.load %s[%row, %column] : memref<4x8xi16, #group>
  memref.store %v, %y[%row, %column] : memref<4x8xi16, #gpu.address_space<global>>
  gpu.return
}
// -----
// Of five dimensions, from LDS to global memory: what is outside of the tensor of 2x2x2x3x3 stays.
// expect gfx1250: barriers 1
// lanewise.args x = index(144), y = index(2, 2, 2, 3, 4) ; grid = 1
#group = #gpu.address_space<workgroup>
gpu.func @stored(%x: memref<144xi8, #gpu.address_space<global>>, %y: memref<2x2x2x3x4xi8, #gpu.address_space<global>>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c144 = arith.constant 144 : index
  %seven = arith.constant 7 : i8
  %s = memref.alloc() : memref<2x2x3x3x4xi8, #group>
  %flat = memref.collapse_shape %s [[0, 1, 2, 3, 4]] : memref<2x2x3x3x4xi8, #group> into memref<144xi8, #group>
  %t = gpu.thread_id x
  scf.for %i = %t to %c144 step %c64 {
    %v = memref.load %x[%i] : memref<144xi8, #gpu.address_space<global>>
    %u = arith.addi %v, %seven : i8
    memref.store %u, %flat[%i] : memref<144xi8, #group>
  }
  gpu.barrier
  %first = arith.cmpi ult, %t, %c32 : index
  scf.if %first {
    %b = amdgpu.make_dma_base %y[%c0, %c0, %c0, %c0, %c0], %s[%c0, %c0, %c0, %c0, %c0] : memref<2x2x2x3x4xi8, #gpu.address_space<global>>, memref<2x2x3x3x4xi8, #group> -> !amdgpu.tdm_base<i8>
    %d = amdgpu.make_dma_descriptor %b globalSize [2, 2, 2, 3, 3] globalStride [48, 24, 12, 4, 1] sharedSize [2, 2, 3, 3, 4] : !amdgpu.tdm_base<i8> -> !amdgpu.tdm_descriptor
    amdgpu.tensor_store_from_lds %d : !amdgpu.tdm_descriptor
    rocdl.s.wait.tensorcnt 0
  }
  gpu.return
}
// -----
// Three tiles of 2x4 one after another: each begins a row of 8 further in the tensor, and 10 elements further in LDS.
// lanewise.args x = index(8, 8), y = empty(32) ; grid = 1
#group = #gpu.address_space<workgroup>
gpu.func @repeated(%x: memref<8x8xf32, #gpu.address_space<global>>, %y: memref<32xf32, #gpu.address_space<global>>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %ten = arith.constant 10 : i32
  %old = arith.constant -1.0 : f32
  %s = memref.alloc() : memref<32xf32, #group>
  %t = gpu.thread_id x
  memref.store %old, %s[%t] : memref<32xf32, #group>
  gpu.barrier
  %b = amdgpu.make_dma_base %x[%c1, %c3], %s[%c1] : memref<8x8xf32, #gpu.address_space<global>>, memref<32xf32, #group> -> !amdgpu.tdm_base<f32>
  %d = amdgpu.make_dma_descriptor %b globalSize [2, 3] globalStride [16, 1] sharedSize [2, 4] iterate %c8, %ten, %c3 : !amdgpu.tdm_base<f32> -> !amdgpu.tdm_descriptor
  amdgpu.tensor_load_to_lds %d : !amdgpu.tdm_descriptor
  rocdl.s.wait.tensorcnt 0
  gpu.barrier
  %v = memref.load %s[%t] : memref<32xf32, #group>
  memref.store %v, %y[%t] : memref<32xf32, #gpu.address_space<global>>
  gpu.return
}
