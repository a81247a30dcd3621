// Barriers whose state lies in LDS.
// test roundtrip
// test run target=gfx1250
// Of 64 threads half arrive once, half twice; the state afterwards is of the next phase, 7, with all 96 missing again. What
// each stored before it arrived is there for who sees that.
// expect gfx1250: barriers 1
// lanewise.args x = index(64), y = empty(64), z = empty(64, 5) ; grid = 1
#group = #gpu.address_space<workgroup>
gpu.func @arrivals(%x: memref<64xi32, #gpu.address_space<global>>, %y: memref<64xi32, #gpu.address_space<global>>, %z: memref<64x5xi32, #gpu.address_space<global>>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c63 = arith.constant 63 : index
  %c96 = arith.constant 96 : i32
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %zero = arith.constant 0 : i32
  %s = memref.alloc() : memref<64xi32, #group>
  %b = memref.alloc() : memref<2x!amdgpu.ds_barrier_state, #group>
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  scf.if %first {
    amdgpu.ds_barrier_init %b[%c1], %c96 : memref<2x!amdgpu.ds_barrier_state, #group>, i32
  }
  gpu.barrier
  %v = memref.load %x[%t] : memref<64xi32, #gpu.address_space<global>>
  memref.store %v, %s[%t] : memref<64xi32, #group>
  %low = arith.cmpi ult, %t, %c32 : index
  %count = arith.select %low, %one, %two : i64
  %old = amdgpu.ds_barrier_arrive %b[%c1], %count : memref<2x!amdgpu.ds_barrier_state, #group>, i64 -> !amdgpu.ds_barrier_state
  %phase0 = amdgpu.ds_barrier_state_phase %old : !amdgpu.ds_barrier_state -> i32
  %last = scf.while (%n = %zero) : (i32) -> (!amdgpu.ds_barrier_state) {
    %now = amdgpu.ds_barrier_poll_state %b[%c1] : memref<2x!amdgpu.ds_barrier_state, #group> -> !amdgpu.ds_barrier_state
    %p = amdgpu.ds_barrier_state_phase %now : !amdgpu.ds_barrier_state -> i32
    %same = arith.cmpi eq, %p, %phase0 : i32
    scf.condition(%same) %now : !amdgpu.ds_barrier_state
  } do {
  ^bb0(%again: !amdgpu.ds_barrier_state):
    scf.yield %zero : i32
  }
  %other = arith.subi %c63, %t : index
  %u = memref.load %s[%other] : memref<64xi32, #group>
  memref.store %u, %y[%t] : memref<64xi32, #gpu.address_space<global>>
  %phase = amdgpu.ds_barrier_state_phase %last : !amdgpu.ds_barrier_state -> i32
  %pending = amdgpu.ds_barrier_state_pending_count %last : !amdgpu.ds_barrier_state -> i32
  %init = amdgpu.ds_barrier_state_init_count %last : !amdgpu.ds_barrier_state -> i32
  %parity = amdgpu.ds_barrier_state_phase_parity %last : !amdgpu.ds_barrier_state -> i1
  %odd = arith.extui %parity : i1 to i32
  memref.store %phase0, %z[%t, %c0] : memref<64x5xi32, #gpu.address_space<global>>
  memref.store %phase, %z[%t, %c1] : memref<64x5xi32, #gpu.address_space<global>>
  memref.store %pending, %z[%t, %c2] : memref<64x5xi32, #gpu.address_space<global>>
  memref.store %init, %z[%t, %c3] : memref<64x5xi32, #gpu.address_space<global>>
  memref.store %odd, %z[%t, %c4] : memref<64x5xi32, #gpu.address_space<global>>
  gpu.return
}
// -----
// The threads of one subgroup copy a row each and arrive behind that; the other's see all of it, and wait for nothing else.
// expect gfx1250: barriers 1, copies 1
// lanewise.args x = index(32, 4), y = empty(32, 4) ; grid = 1
#group = #gpu.address_space<workgroup>
gpu.func @behind_copies(%x: memref<32x4xi32, #gpu.address_space<global>> {llvm.align = 16 : i64}, %y: memref<32x4xi32, #gpu.address_space<global>> {llvm.align = 16 : i64}) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c63 = arith.constant 63 : index
  %i32 = arith.constant 32 : i32
  %false = arith.constant false
  %s = memref.alloc() : memref<32x4xi32, #group>
  %b = memref.alloc() : memref<!amdgpu.ds_barrier_state, #group>
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  scf.if %first {
    amdgpu.ds_barrier_init %b[], %i32 : memref<!amdgpu.ds_barrier_state, #group>, i32
  }
  gpu.barrier
  %copies = arith.cmpi ult, %t, %c32 : index
  scf.if %copies {
    amdgpu.global_load_async_to_lds %x[%t, %c0], %s[%t, %c0] : vector<4xi32>, memref<32x4xi32, #gpu.address_space<global>>, memref<32x4xi32, #group>
    amdgpu.ds_async_barrier_arrive %b[] : memref<!amdgpu.ds_barrier_state, #group>
  } else {
    scf.while (%n = %false) : (i1) -> () {
      %now = amdgpu.ds_barrier_poll_state %b[] : memref<!amdgpu.ds_barrier_state, #group> -> !amdgpu.ds_barrier_state
      %odd = amdgpu.ds_barrier_state_phase_parity %now : !amdgpu.ds_barrier_state -> i1
      %even = arith.cmpi eq, %odd, %false : i1
      scf.condition(%even)
    } do {
      scf.yield %false : i1
    }
    %r = arith.subi %c63, %t : index
    %v = vector.load %s[%r, %c0] : memref<32x4xi32, #group>, vector<4xi32>
    vector.store %v, %y[%r, %c0] : memref<32x4xi32, #gpu.address_space<global>>, vector<4xi32>
  }
  gpu.return
}
