// Lanes of a row, or of the other row, that each lane chooses for itself.
// test roundtrip
// test run target=gfx1200
// test run target=gfx1201
// test run target=gfx1250
// expect gfx1201: shuffles 2, barriers 0
// lanewise.args x = index(64), n = integers(-20, 20), y = empty(64), z = empty(64)
gpu.func @chosen(%x: memref<64xf32>, %n: memref<64xi32>, %y: memref<64xf32>, %z: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %own = memref.load %x[%id] : memref<64xf32>
  %at = memref.load %n[%id] : memref<64xi32>
  %0 = amdgpu.permlane_var %own, %at : f32
  %1 = amdgpu.permlane_var %own, %at cross(true) fetch_inactive(true) bound_ctrl(true) : f32
  memref.store %0, %y[%id] : memref<64xf32>
  memref.store %1, %z[%id] : memref<64xf32>
  gpu.return
}
