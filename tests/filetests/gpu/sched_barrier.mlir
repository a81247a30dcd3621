// What is said to the scheduler of machine instructions changes no value, and is no instruction.
// test roundtrip
// test run target=gfx942
// test run target=gfx90a
// test run target=gfx1100
// test run target=gfx1201
// expect gfx942: loads 1, stores 1, instructions <= 14
// lanewise.args a = integers(-3, 3, 64), c = empty(64) ; grid = 1
gpu.func @f(%A: memref<64xf32>, %C: memref<64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %a = vector.transfer_read %A[%c0], %pad {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  amdgpu.sched_barrier allow = none
  %b = arith.addf %a, %a : vector<64xf32>
  amdgpu.sched_barrier allow = <valu|ds_read>
  amdgpu.sched_barrier allow = ldsdma|all
  "amdgpu.sched_barrier"() <{opts = #rocdl.sched_group_mask<salu|valu>}> : () -> ()
  amdgpu.sched_barrier allow = <non_mem_non_sideffect|valu>
  vector.transfer_write %b, %C[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
// -----
gpu.func @f() kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  amdgpu.sched_barrier allow = <valu|fast> // expected-error {{one of none, non_mem_non_sideeffect, valu}}
  gpu.return
}
