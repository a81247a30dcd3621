// Of 4 and 6 bits 32 lanes read 16 elements each; those of 6 bits lie in 12 bytes.
// test roundtrip
// test run target=gfx1250
// expect gfx1250: matrix loads 4, loads 4
// lanewise.args x = integers(-4, 4), z = integers(-128, 127), p = integers(-8, 7), b = integers(-128, 127), y = empty(32, 16), w = empty(32, 16), q = empty(32, 16), c = empty(32, 16) ; grid = 1
gpu.func @short(%x: memref<32x16xf4E2M1FN, #gpu.address_space<global>> {llvm.align = 16 : i64}, %z: memref<32x8xi8, #gpu.address_space<global>> {llvm.align = 16 : i64}, %p: memref<32x16xi4, #gpu.address_space<global>> {llvm.align = 16 : i64},
    %b: memref<32x12xi8, #gpu.address_space<global>> {llvm.align = 16 : i64}, %y: memref<32x16xf4E2M1FN, #gpu.address_space<global>>, %w: memref<32x16xf4E2M1FN, #gpu.address_space<global>>, %q: memref<32x16xi4, #gpu.address_space<global>>, %c: memref<32x16xf6E3M2FN, #gpu.address_space<global>>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  %0 = amdgpu.global_transpose_load %x[%t, %c0] : memref<32x16xf4E2M1FN, #gpu.address_space<global>> -> vector<16xf4E2M1FN>
  vector.store %0, %y[%t, %c0] : memref<32x16xf4E2M1FN, #gpu.address_space<global>>, vector<16xf4E2M1FN>
  %1 = amdgpu.global_transpose_load %z[%t, %c0] : memref<32x8xi8, #gpu.address_space<global>> -> vector<16xf4E2M1FN>
  vector.store %1, %w[%t, %c0] : memref<32x16xf4E2M1FN, #gpu.address_space<global>>, vector<16xf4E2M1FN>
  %2 = amdgpu.global_transpose_load %p[%t, %c0] : memref<32x16xi4, #gpu.address_space<global>> -> vector<16xi4>
  vector.store %2, %q[%t, %c0] : memref<32x16xi4, #gpu.address_space<global>>, vector<16xi4>
  %3 = amdgpu.global_transpose_load %b[%t, %c0] : memref<32x12xi8, #gpu.address_space<global>> -> vector<16xf6E3M2FN>
  vector.store %3, %c[%t, %c0] : memref<32x16xf6E3M2FN, #gpu.address_space<global>>, vector<16xf6E3M2FN>
  gpu.return
}
