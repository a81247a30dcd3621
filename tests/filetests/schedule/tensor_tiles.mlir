// Products of tiles in shared memory on sm_90a: four subgroups multiply 64 rows at once, and read both operands by themselves.
// The threads load nothing from shared memory. So many instructions stand in the loop as K has steps of 32 bytes, times the
// tiles of 64 rows and at most 256 columns of one group of four. The chip copies boxes into rings of tiles in that order: a
// barrier an iteration besides the one behind the barrier objects, of 8 bytes each, and at most a tile for each iteration.
// test run target=sm_90a
// A has K contiguous, B its columns, in two boxes of 128 bytes a row: 64 / 16 instructions. One box of A and two of B
// are copied before the loop, and in it; besides there are the products, and none of 64 sums moves.
// expect sm_90a: mma 4, wgmma 4, shared loads 0, conversions 0, barriers 2, bank conflicts 0, shared bytes 65552
// expect sm_90a: loads 0, shared stores 0, copies 6, loop instructions <= 70
// lanewise.args a = integers(-3, 3, 128, 128), b = integers(-3, 3, 128, 128), c = empty(128, 128); grid = 1
gpu.func @rows(%a: memref<128x128xf16>, %b: memref<128x128xf16>, %c: memref<128x128xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 64 : index
  %depth = arith.constant 128 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<128x128xf32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<128x128xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<128x128xf16>, vector<128x64xf16>
    %s = vector.transfer_read %b[%k, %c0], %p {in_bounds = [true, true]} : memref<128x128xf16>, vector<64x128xf16>
    %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
      affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %l, %s, %sum : vector<128x64xf16>, vector<64x128xf16> into vector<128x128xf32>
    scf.yield %d : vector<128x128xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<128x128xf32>, memref<128x128xf32>
  gpu.return
}
// -----
// Both have K contiguous, rows of 64 bytes: 32 / 16 instructions of 96 columns.
// expect sm_90a: wgmma 2, shared loads 0, conversions 0, barriers 2, bank conflicts 0, shared bytes 20496
// lanewise.args a = integers(-3, 3, 64, 64), b = integers(-3, 3, 96, 64), c = empty(64, 96); grid = 1
gpu.func @both_along_k(%a: memref<64x64xbf16>, %b: memref<96x64xbf16>, %c: memref<64x96xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 32 : index
  %depth = arith.constant 64 : index
  %p = arith.constant 0.0 : bf16
  %z = arith.constant dense<0.0> : vector<64x96xf32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<64x96xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<64x64xbf16>, vector<64x32xbf16>
    %s = vector.transfer_read %b[%c0, %k], %p {in_bounds = [true, true]} : memref<96x64xbf16>, vector<96x32xbf16>
    %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
      affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %l, %s, %sum : vector<64x32xbf16>, vector<96x32xbf16> into vector<64x96xf32>
    scf.yield %d : vector<64x96xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x96xf32>, memref<64x96xf32>
  gpu.return
}
// -----
// Neither has: one instruction for each 64 rows, which the four do one after the other.
// expect sm_90a: wgmma 2, shared loads 0, conversions 0, barriers 2, bank conflicts 0, shared bytes 12304
// lanewise.args a = integers(-3, 3, 32, 128), b = integers(-3, 3, 32, 64), c = empty(128, 64); grid = 1
gpu.func @neither_along_k(%a: memref<32x128xf16>, %b: memref<32x64xf16>, %c: memref<128x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 16 : index
  %depth = arith.constant 32 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<128x64xf32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<128x64xf32>) {
    %l = vector.transfer_read %a[%k, %c0], %p {in_bounds = [true, true]} : memref<32x128xf16>, vector<16x128xf16>
    %s = vector.transfer_read %b[%k, %c0], %p {in_bounds = [true, true]} : memref<32x64xf16>, vector<16x64xf16>
    %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>,
      affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %l, %s, %sum : vector<16x128xf16>, vector<16x64xf16> into vector<128x64xf32>
    scf.yield %d : vector<128x64xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<128x64xf32>, memref<128x64xf32>
  gpu.return
}
// -----
// Eight subgroups, 64 rows: each four has 32 columns. Sums are halves.
// expect sm_90a: wgmma 2, shared loads 0, conversions 0
// lanewise.args a = integers(-3, 3, 64, 32), b = integers(-3, 3, 64, 32), c = empty(64, 64); grid = 1
gpu.func @columns_divided(%a: memref<64x32xf16>, %b: memref<64x32xf16>, %c: memref<64x64xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 32 : index
  %depth = arith.constant 32 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x64xf16>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<64x64xf16>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<64x32xf16>, vector<64x32xf16>
    %s = vector.transfer_read %b[%c0, %k], %p {in_bounds = [true, true]} : memref<64x32xf16>, vector<64x32xf16>
    %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
      affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %l, %s, %sum : vector<64x32xf16>, vector<64x32xf16> into vector<64x64xf16>
    scf.yield %d : vector<64x64xf16>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf16>, memref<64x64xf16>
  gpu.return
}
// -----
// Bytes, 32 of K an instruction.
// expect sm_90a: wgmma 2, shared loads 0, conversions 0, bank conflicts 0
// lanewise.args a = integers(-3, 3, 64, 128), b = integers(-3, 3, 48, 128), c = empty(64, 48); grid = 1
gpu.func @bytes(%a: memref<64x128xi8>, %b: memref<48x128xi8>, %c: memref<64x48xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 64 : index
  %depth = arith.constant 128 : index
  %p = arith.constant 0 : i8
  %z = arith.constant dense<0> : vector<64x48xi32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<64x48xi32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<64x128xi8>, vector<64x64xi8>
    %s = vector.transfer_read %b[%c0, %k], %p {in_bounds = [true, true]} : memref<48x128xi8>, vector<48x64xi8>
    %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
      affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %l, %s, %sum : vector<64x64xi8>, vector<48x64xi8> into vector<64x48xi32>
    scf.yield %d : vector<64x48xi32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x48xi32>, memref<64x48xi32>
  gpu.return
}
// -----
// Small floats.
// expect sm_90a: wgmma 2, shared loads 0, conversions 0
// lanewise.args a = integers(-3, 3, 64, 64), b = integers(-3, 3, 40, 64), c = empty(64, 40); grid = 1
gpu.func @small_floats(%a: memref<64x64xf8E4M3FN>, %b: memref<40x64xf8E4M3FN>, %c: memref<64x40xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 64 : index
  %depth = arith.constant 64 : index
  %p = arith.constant 0.0 : f8E4M3FN
  %z = arith.constant dense<0.0> : vector<64x40xf32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<64x40xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<64x64xf8E4M3FN>, vector<64x64xf8E4M3FN>
    %s = vector.transfer_read %b[%c0, %k], %p {in_bounds = [true, true]} : memref<40x64xf8E4M3FN>, vector<40x64xf8E4M3FN>
    %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
      affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %l, %s, %sum : vector<64x64xf8E4M3FN>, vector<40x64xf8E4M3FN> into vector<64x40xf32>
    scf.yield %d : vector<64x40xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x40xf32>, memref<64x40xf32>
  gpu.return
}
// -----
// f32 in tf32's precision, where it is asked for: 8 of K an instruction.
// expect sm_90a: wgmma 4, shared loads 0, conversions 0
// lanewise.args a = integers(-3, 3, 64, 64), b = integers(-3, 3, 32, 64), c = empty(64, 32); grid = 1
gpu.func @short_floats(%a: memref<64x64xf32>, %b: memref<32x64xf32>, %c: memref<64x32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 32 : index
  %depth = arith.constant 64 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<64x32xf32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<64x32xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x32xf32>
    %s = vector.transfer_read %b[%c0, %k], %p {in_bounds = [true, true]} : memref<32x64xf32>, vector<32x32xf32>
    %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
      affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>,
      lowering_config = #iree_gpu.lowering_config<{mma_kind = #lanewise.mma_layout<NV_WGMMA_F32_64x32x8_TF32>}>}
      %l, %s, %sum : vector<64x32xf32>, vector<32x32xf32> into vector<64x32xf32>
    scf.yield %d : vector<64x32xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x32xf32>, memref<64x32xf32>
  gpu.return
}
// -----
// 24 rows are no multiple of 64, the columns are: the instruction is given B as its A.
// expect sm_90a: wgmma 4, shared loads 0, conversions 0
// lanewise.args a = integers(-3, 3, 24, 64), b = integers(-3, 3, 128, 64), c = empty(24, 128); grid = 1
gpu.func @exchanged(%a: memref<24x64xf16>, %b: memref<128x64xf16>, %c: memref<24x128xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 32 : index
  %depth = arith.constant 64 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<24x128xf32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<24x128xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<24x64xf16>, vector<24x32xf16>
    %s = vector.transfer_read %b[%c0, %k], %p {in_bounds = [true, true]} : memref<128x64xf16>, vector<128x32xf16>
    %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
      affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %l, %s, %sum : vector<24x32xf16>, vector<128x32xf16> into vector<24x128xf32>
    scf.yield %d : vector<24x128xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<24x128xf32>, memref<24x128xf32>
  gpu.return
}
// -----
// Half as many columns as there could be, by name: two for each of two steps.
// expect sm_90a: wgmma 4, shared loads 0
// lanewise.args a = integers(-3, 3, 64, 32), b = integers(-3, 3, 64, 32), c = empty(64, 64); grid = 1
gpu.func @named(%a: memref<64x32xf16>, %b: memref<64x32xf16>, %c: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 32 : index
  %depth = arith.constant 32 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<64x64xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<64x32xf16>, vector<64x32xf16>
    %s = vector.transfer_read %b[%c0, %k], %p {in_bounds = [true, true]} : memref<64x32xf16>, vector<64x32xf16>
    %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
      affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>,
      lowering_config = #iree_gpu.lowering_config<{mma_kind = #lanewise.mma_layout<NV_WGMMA_F32_64x32x16_F16>}>}
      %l, %s, %sum : vector<64x32xf16>, vector<64x32xf16> into vector<64x64xf32>
    scf.yield %d : vector<64x64xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// Bytes of B are not contiguous along K, which instructions of four subgroups need: those of one do it, 4 x 2 x 2 each.
// expect sm_90a: wgmma 0, mma 16
// lanewise.args a = integers(-3, 3, 64, 64), b = integers(-3, 3, 64, 64), c = empty(64, 64); grid = 1
gpu.func @bytes_by_rows(%a: memref<64x64xi8>, %b: memref<64x64xi8>, %c: memref<64x64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 64 : index
  %depth = arith.constant 64 : index
  %p = arith.constant 0 : i8
  %z = arith.constant dense<0> : vector<64x64xi32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<64x64xi32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<64x64xi8>, vector<64x64xi8>
    %s = vector.transfer_read %b[%k, %c0], %p {in_bounds = [true, true]} : memref<64x64xi8>, vector<64x64xi8>
    %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
      affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %l, %s, %sum : vector<64x64xi8>, vector<64x64xi8> into vector<64x64xi32>
    scf.yield %d : vector<64x64xi32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xi32>, memref<64x64xi32>
  gpu.return
}
// -----
// Three subgroups are no four: 2 x 8 x 2 each of theirs.
// expect sm_90a: wgmma 0, mma 32
// lanewise.args a = integers(-3, 3, 96, 32), b = integers(-3, 3, 64, 32), c = empty(96, 64); grid = 1
gpu.func @three_subgroups(%a: memref<96x32xf16>, %b: memref<64x32xf16>, %c: memref<96x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 96, 1, 1>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 32 : index
  %depth = arith.constant 32 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<96x64xf32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<96x64xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<96x32xf16>, vector<96x32xf16>
    %s = vector.transfer_read %b[%c0, %k], %p {in_bounds = [true, true]} : memref<64x32xf16>, vector<64x32xf16>
    %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
      affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %l, %s, %sum : vector<96x32xf16>, vector<64x32xf16> into vector<96x64xf32>
    scf.yield %d : vector<96x64xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<96x64xf32>, memref<96x64xf32>
  gpu.return
}
