// What barriers in LDS do not take.
// test verify
#group = #gpu.address_space<workgroup>
func.func @wrong(%b: memref<2x!amdgpu.ds_barrier_state, #group>, %g: memref<2x!amdgpu.ds_barrier_state>, %n: memref<2xi64, #group>,
                 %i: index, %p: i32, %c: i64, %s: !amdgpu.ds_barrier_state) {
  %none = arith.constant 0 : i32
  %most = arith.constant 65536 : i32
  %more = arith.constant 65537 : i32
  %zero = arith.constant 0 : i64
  amdgpu.ds_barrier_init %b[%i], %most : memref<2x!amdgpu.ds_barrier_state, #group>, i32
  // expected-error@+1 {{takes 1 to 65536 participants, found 0}}
  amdgpu.ds_barrier_init %b[%i], %none : memref<2x!amdgpu.ds_barrier_state, #group>, i32
  // expected-error@+1 {{takes 1 to 65536 participants, found 65537}}
  amdgpu.ds_barrier_init %b[%i], %more : memref<2x!amdgpu.ds_barrier_state, #group>, i32
  // expected-error@+1 {{needs 1 indices for memref<2x!amdgpu.ds_barrier_state, #gpu.address_space<workgroup>>, found 0}}
  amdgpu.ds_barrier_init %b[], %p : memref<2x!amdgpu.ds_barrier_state, #group>, i32
  // expected-error@+1 {{is of barriers in workgroup memory (#gpu.address_space<workgroup>), found memref<2x!amdgpu.ds_barrier_state>}}
  amdgpu.ds_barrier_init %g[%i], %p : memref<2x!amdgpu.ds_barrier_state>, i32
  // expected-error@+1 {{operand 'base' must be a memref of !amdgpu.ds_barrier_state, found memref<2xi64, #gpu.address_space<workgroup>>}}
  %0 = amdgpu.ds_barrier_poll_state %n[%i] : memref<2xi64, #group> -> !amdgpu.ds_barrier_state
  // expected-error@+1 {{needs 1 indices}}
  %1 = amdgpu.ds_barrier_poll_state %b[%i, %i] : memref<2x!amdgpu.ds_barrier_state, #group> -> !amdgpu.ds_barrier_state
  // expected-error@+1 {{arrives 1 to 65536 times, found 0}}
  %2 = amdgpu.ds_barrier_arrive %b[%i], %zero : memref<2x!amdgpu.ds_barrier_state, #group>, i64 -> !amdgpu.ds_barrier_state
  // expected-error@+1 {{operand 'count' must be i64, found i32}}
  %3 = amdgpu.ds_barrier_arrive %b[%i], %p : memref<2x!amdgpu.ds_barrier_state, #group>, i32 -> !amdgpu.ds_barrier_state
  // expected-error@+1 {{is of barriers in workgroup memory}}
  %4 = amdgpu.ds_barrier_arrive %g[%i], %c : memref<2x!amdgpu.ds_barrier_state>, i64 -> !amdgpu.ds_barrier_state
  // expected-error@+1 {{is of barriers in workgroup memory}}
  amdgpu.ds_async_barrier_arrive %g[%i] : memref<2x!amdgpu.ds_barrier_state>
  // expected-error@+1 {{operand 'state' must be !amdgpu.ds_barrier_state, found i64}}
  %5 = amdgpu.ds_barrier_state_phase %c : i64 -> i32
  // expected-error@+1 {{result 'res' must be i32, found i64}}
  %6 = amdgpu.ds_barrier_state_pending_count %s : !amdgpu.ds_barrier_state -> i64
  // expected-error@+1 {{operand 'state' must be !amdgpu.ds_barrier_state, found i64}}
  %7 = amdgpu.ds_barrier_state_init_count %c : i64 -> i32
  // expected-error@+1 {{result 'res' must be i1, found i32}}
  %8 = amdgpu.ds_barrier_state_phase_parity %s : !amdgpu.ds_barrier_state -> i32
  return
}
