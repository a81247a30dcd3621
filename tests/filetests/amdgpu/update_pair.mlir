// Two neighbours of a raw buffer are added to in one step: 64 threads, eight for each of eight pairs, the last two behind the buffer.
// test roundtrip
// test run target=gfx942
// test run target=gfx1201
// Each thread whose pair is in the buffer (6 of 8) updates it once, by one instruction without a loop.
// expect gfx942: atomics 48, divergent branches 0
// lanewise.args h = integers(0, 9)
#fat = #amdgpu.address_space<fat_raw_buffer>
gpu.func @pairs(%h: memref<12xf16> {llvm.align = 4 : i64}) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %id = gpu.thread_id x
  %c7 = arith.constant 7 : index
  %c2 = arith.constant 2 : index
  %at = arith.andi %id, %c7 : index
  %pair = arith.muli %at, %c2 : index
  %one = arith.constant dense<[1.0, 2.0]> : vector<2xf16>
  %fat = amdgpu.fat_raw_buffer_cast %h : memref<12xf16> to memref<12xf16, #fat>
  %0 = lanewise.update_pair %one, %fat[%pair] : vector<2xf16>, memref<12xf16, #fat>
  gpu.return
}
