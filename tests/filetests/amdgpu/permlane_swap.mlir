// Rows and halves that change places, on gfx950.
// test roundtrip
// test run target=gfx950
// expect gfx950: shuffles 3, barriers 0
// lanewise.args x = index(64), y = empty(64, 2), z = empty(64)
gpu.func @swapped(%x: memref<64xf32>, %y: memref<64x2xf16>, %z: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %own = memref.load %x[%id] : memref<64xf32>
  %0 = amdgpu.permlane_swap %own 16 : f32
  %1 = amdgpu.permlane_swap %0 32 fetch_inactive(true) bound_ctrl(true) : f32
  memref.store %1, %z[%id] : memref<64xf32>
  %a = arith.truncf %own : f32 to f16
  %b = arith.addf %a, %a : f16
  %pair = vector.from_elements %a, %b : vector<2xf16>
  %2 = amdgpu.permlane_swap %pair 32 : vector<2xf16>
  %c0 = arith.constant 0 : index
  vector.store %2, %y[%id, %c0] : memref<64x2xf16>, vector<2xf16>
  gpu.return
}
