// Eight lanes read a row of eight elements each, and lane l of them gets column l.
// test roundtrip
// test run target=gfx1200
// test run target=gfx1250
// expect gfx1201: matrix loads 2, loads 2
// lanewise.args x = normal(32, 8), b = integers(-128, 127), y = empty(32, 8), c = empty(32, 8) ; grid = 1
gpu.func @columns(%x: memref<32x8xf16, #gpu.address_space<global>> {llvm.align = 16 : i64}, %b: memref<32x8xi8, #gpu.address_space<global>> {llvm.align = 16 : i64}, %y: memref<32x8xf16, #gpu.address_space<global>>, %c: memref<32x8xi8, #gpu.address_space<global>>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  %v = amdgpu.global_transpose_load %x[%t, %c0] : memref<32x8xf16, #gpu.address_space<global>> -> vector<8xf16>
  %w = amdgpu.global_transpose_load %b[%t, %c0] : memref<32x8xi8, #gpu.address_space<global>> -> vector<8xi8>
  vector.store %v, %y[%t, %c0] : memref<32x8xf16, #gpu.address_space<global>>, vector<8xf16>
  vector.store %w, %c[%t, %c0] : memref<32x8xi8, #gpu.address_space<global>>, vector<8xi8>
  gpu.return
}
