// Two ways that lie close together: what each price of the choice decides.
// test run
// How often the loop repeats is not known: 16 times the three instructions more of four narrow accesses are less than an
// exchange between subgroups.
// expect sm_90: conversions 0, shared bytes 0, loads 4
// lanewise.args x = integers(-3, 3, 5, 512), y = empty(512), 5; grid = 1
#narrow = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [4], outer_tile = [1], thread_tile = [128], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>
gpu.func @unknown(%x: memref<?x512xf32>, %y: memref<512xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<512xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (vector<512xf32>) {
    %a = vector.transfer_read %x[%i, %c0], %p {in_bounds = [true]} : memref<?x512xf32>, vector<512xf32>
    %t = arith.addf %acc, %a : vector<512xf32>
    scf.yield %t : vector<512xf32>
  }
  %r = iree_vector_ext.to_layout %s to layout(#narrow) : vector<512xf32>
  vector.transfer_write %r, %y[%c0] {in_bounds = [true]} : vector<512xf32>, memref<512xf32>
  gpu.return
}
// -----
// A loop that repeats 200 times reads in wide accesses; what it gives is converted behind it.
// expect sm_90: conversions 1, loop conversions 0, shared bytes 2048, loads 1
// lanewise.args x = integers(-3, 3, 200, 512), y = empty(512); grid = 1
#narrow = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [4], outer_tile = [1], thread_tile = [128], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>
gpu.func @often(%x: memref<200x512xf32>, %y: memref<512xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 200 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<512xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (vector<512xf32>) {
    %a = vector.transfer_read %x[%i, %c0], %p {in_bounds = [true]} : memref<200x512xf32>, vector<512xf32>
    %t = arith.addf %acc, %a : vector<512xf32>
    scf.yield %t : vector<512xf32>
  }
  %r = iree_vector_ext.to_layout %s to layout(#narrow) : vector<512xf32>
  vector.transfer_write %r, %y[%c0] {in_bounds = [true]} : vector<512xf32>, memref<512xf32>
  gpu.return
}
// -----
// 128 elements in each thread wait for their use while 128 others are alive: 256 registers and 32 for addresses are 33
// more than the 255 of a thread. Their spills are dearer than an exchange where the elements are used.
// expect sm_90: conversions 1
// lanewise.args x = integers(-3, 3, 128), y = integers(-3, 3, 4096), u = empty(128), v = empty(4096); grid = 1
#everywhere = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [32], outer_tile = [1], thread_tile = [1], element_tile = [4],
  subgroup_strides = [0], thread_strides = [0]>
gpu.func @crowded(%x: memref<128xf32>, %y: memref<4096xf32>, %u: memref<128xi32>, %v: memref<4096xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<128xf32>, vector<128xf32>
  %i = vector.bitcast %a : vector<128xf32> to vector<128xi32>
  %b = vector.transfer_read %y[%c0], %p {in_bounds = [true]} : memref<4096xf32>, vector<4096xf32>
  %c = math.absf %b : vector<4096xf32>
  vector.transfer_write %c, %v[%c0] {in_bounds = [true]} : vector<4096xf32>, memref<4096xf32>
  %d = iree_vector_ext.to_layout %i to layout(#everywhere) : vector<128xi32>
  vector.transfer_write %d, %u[%c0] {in_bounds = [true]} : vector<128xi32>, memref<128xi32>
  gpu.return
}
// -----
// With 96 others one register is missing: its spill is cheaper than what an exchange takes beyond wide reads and a copy.
// expect sm_90: conversions 0
// lanewise.args x = integers(-3, 3, 128), y = integers(-3, 3, 3072), u = empty(128), v = empty(3072); grid = 1
#everywhere = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [32], outer_tile = [1], thread_tile = [1], element_tile = [4],
  subgroup_strides = [0], thread_strides = [0]>
gpu.func @nearly(%x: memref<128xf32>, %y: memref<3072xf32>, %u: memref<128xi32>, %v: memref<3072xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<128xf32>, vector<128xf32>
  %i = vector.bitcast %a : vector<128xf32> to vector<128xi32>
  %b = vector.transfer_read %y[%c0], %p {in_bounds = [true]} : memref<3072xf32>, vector<3072xf32>
  %c = math.absf %b : vector<3072xf32>
  vector.transfer_write %c, %v[%c0] {in_bounds = [true]} : vector<3072xf32>, memref<3072xf32>
  %d = iree_vector_ext.to_layout %i to layout(#everywhere) : vector<128xi32>
  vector.transfer_write %d, %u[%c0] {in_bounds = [true]} : vector<128xi32>, memref<128xi32>
  gpu.return
}
// -----
// 128 instructions that all eight subgroups repeat would take 8 cycles each; an exchange of the sums takes less.
// expect sm_90: executed mma 128
// lanewise.args a = integers(-3, 3, 32, 128), b = integers(-3, 3, 128, 64), c = empty(32, 64); grid = 1
#lhs = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [2, 8], outer_tile = [2, 2], thread_tile = [8, 4], element_tile = [1, 2],
  subgroup_strides = [0, 0], thread_strides = [4, 1]>
#rhs = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [8, 8], outer_tile = [2, 1], thread_tile = [4, 8], element_tile = [2, 1],
  subgroup_strides = [0, 0], thread_strides = [1, 4]>
#acc = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [2, 8], outer_tile = [2, 1], thread_tile = [8, 4], element_tile = [1, 2],
  subgroup_strides = [0, 0], thread_strides = [4, 1]>
gpu.func @repeated(%a: memref<32x128xf16>, %b: memref<128x64xf16>, %c: memref<32x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<32x64xf32>
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x128xf16>, vector<32x128xf16>
  %r = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<128x64xf16>, vector<128x64xf16>
  %l1 = iree_vector_ext.to_layout %l to layout(#lhs) : vector<32x128xf16>
  %r1 = iree_vector_ext.to_layout %r to layout(#rhs) : vector<128x64xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %l1, %r1, %z : vector<32x128xf16>, vector<128x64xf16> into vector<32x64xf32>
  %d1 = iree_vector_ext.to_layout %d to layout(#acc) : vector<32x64xf32>
  vector.transfer_write %d1, %c[%c0, %c0] {in_bounds = [true, true]} : vector<32x64xf32>, memref<32x64xf32>
  gpu.return
}
// -----
// Four subgroups share 64x64 as two by two: each loads 32 rows and 32 columns, 4 times four tiles of 8x8 each. Four by
// one would load 2 and 8 times four.
// expect sm_90: matrix loads 8, conversions 0
// lanewise.args a = integers(-3, 3, 64, 32), b = integers(-3, 3, 32, 64), c = empty(64, 64); grid = 1
gpu.func @square(%a: memref<64x32xf16>, %b: memref<32x64xf16>, %c: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %ta = memref.alloc() : memref<64x40xf16, #gpu.address_space<workgroup>>
  %tb = memref.alloc() : memref<32x72xf16, #gpu.address_space<workgroup>>
  %a0 = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x32xf16>, vector<64x32xf16>
  %b0 = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x64xf16>, vector<32x64xf16>
  vector.transfer_write %a0, %ta[%c0, %c0] {in_bounds = [true, true]}
    : vector<64x32xf16>, memref<64x40xf16, #gpu.address_space<workgroup>>
  vector.transfer_write %b0, %tb[%c0, %c0] {in_bounds = [true, true]}
    : vector<32x64xf16>, memref<32x72xf16, #gpu.address_space<workgroup>>
  gpu.barrier
  %l = vector.transfer_read %ta[%c0, %c0], %p {in_bounds = [true, true]}
    : memref<64x40xf16, #gpu.address_space<workgroup>>, vector<64x32xf16>
  %r = vector.transfer_read %tb[%c0, %c0], %p {in_bounds = [true, true]}
    : memref<32x72xf16, #gpu.address_space<workgroup>>, vector<32x64xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %l, %r, %z : vector<64x32xf16>, vector<32x64xf16> into vector<64x64xf32>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// Extents that no power of two divides: 74 threads hold a line of 37 each, where powers of two would leave two threads
// with 1369 elements each.
// expect sm_90: loads 37, stores 37, conversions 0, spills 0
// lanewise.args x = integers(-3, 3, 2, 37, 37), y = empty(2, 37, 37); grid = 1
gpu.func @odd(%x: memref<2x37x37xf32>, %y: memref<2x37x37xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0, %c0], %p {in_bounds = [true, true, true]}
    : memref<2x37x37xf32>, vector<2x37x37xf32>
  vector.transfer_write %a, %y[%c0, %c0, %c0] {in_bounds = [true, true, true]}
    : vector<2x37x37xf32>, memref<2x37x37xf32>
  gpu.return
}
// -----
// Each thread has 16 rows with a bound each: a subtraction for all of them and a comparison for each. About ten
// instructions a row: the bound, two addresses, two accesses and a zero; an index for each would be one more.
// expect sm_90: loads 16, stores 16, instructions <= 165
// lanewise.args M = 13 : x = integers(-3, 3, M, 33), y = empty(M, 33) ; grid = ceildiv(M, 16)
gpu.func @rows(%x: memref<?x33xf32>, %y: memref<?x33xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %rows = arith.constant 16 : index
  %block = gpu.block_id x
  %row = arith.muli %block, %rows : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%row, %c0], %p {in_bounds = [false, true]} : memref<?x33xf32>, vector<16x32xf32>
  vector.transfer_write %a, %y[%row, %c0] {in_bounds = [false, true]} : vector<16x32xf32>, memref<?x33xf32>
  gpu.return
}
// -----
// Each thread has 16 neighbours that no access takes together, since rows of 29 begin anywhere. About eight instructions
// each: two bounds, two accesses, their two addresses, a zero and its copy; an index for each would be one more. 40 others
// are about both rows and what is left of them.
// expect sm_90: loads 16, stores 16, instructions <= 170
// lanewise.args N = 29 : x = integers(-3, 3, 32, N), y = empty(32, N) ; grid = 2
gpu.func @neighbours(%x: memref<32x?xf32>, %y: memref<32x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %c16 = arith.constant 16 : index
  %row = gpu.thread_id x
  %block = gpu.block_id x
  %column = arith.muli %block, %c16 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%row, %column], %p : memref<32x?xf32>, vector<16xf32>
  vector.transfer_write %a, %y[%row, %column] : vector<16xf32>, memref<32x?xf32>
  gpu.return
}
// -----
// Neighbours that no access takes together are stored four a thread: 16 accesses of 4 lines and 16 sectors each, 64 sectors in all,
// are 16 + 2 * 64 + (64 + 256) = 464 cycles. One a thread they are 16 + 2 * 16 + (64 + 64) = 176, and an exchange is 4 + 16
// instructions, 2 * 32 wavefronts, 2 * 16 for barriers and 192 to wait: 308, which is more than the 288 that it saves.
// expect sm_90: conversions 0, stores 16
// lanewise.args x = integers(-3, 3, 2048), y = empty(2049) ; grid = 1
#wide = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [4], outer_tile = [1], thread_tile = [128], element_tile = [4],
  subgroup_strides = [0], thread_strides = [1]>
gpu.func @once(%x: memref<2048xf32>, %y: memref<2049xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 0.0 : f32
  %r = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<2048xf32>, vector<2048xf32>
  %a = iree_vector_ext.to_layout %r to layout(#wide) : vector<2048xf32>
  vector.transfer_write %a, %y[%c1] {in_bounds = [true]} : vector<2048xf32>, memref<2049xf32>
  gpu.return
}
// -----
// Two stores save 2 * 288 cycles, and share the exchange: 308.
// expect sm_90: conversions 1, stores 32
// lanewise.args x = integers(-3, 3, 2048), y = empty(2049), z = empty(2049) ; grid = 1
#wide = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [4], outer_tile = [1], thread_tile = [128], element_tile = [4],
  subgroup_strides = [0], thread_strides = [1]>
gpu.func @twice(%x: memref<2048xf32>, %y: memref<2049xf32>, %z: memref<2049xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 0.0 : f32
  %r = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<2048xf32>, vector<2048xf32>
  %a = iree_vector_ext.to_layout %r to layout(#wide) : vector<2048xf32>
  vector.transfer_write %a, %y[%c1] {in_bounds = [true]} : vector<2048xf32>, memref<2049xf32>
  vector.transfer_write %a, %z[%c1] {in_bounds = [true]} : vector<2048xf32>, memref<2049xf32>
  gpu.return
}
// -----
// Rows of a product are summed after a loop. If each subgroup had whole rows, the sum would need no exchange, and a subgroup
// 2 + 8 loads of four 8x8 tiles instead of 4 + 4. Two loads in every iteration cost more than an exchange behind the loop.
// expect sm_90: matrix loads 8, conversions 0
// lanewise.args a = integers(-1, 1, 64, 32), b = integers(-1, 1, 32, 64), c = empty(64), 2; grid = 1
gpu.func @summed(%a: memref<64x32xf16>, %b: memref<32x64xf16>, %c: memref<64xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %zero = arith.constant dense<0.0> : vector<64xf32>
  %ta = memref.alloc() : memref<64x40xf16, #gpu.address_space<workgroup>>
  %tb = memref.alloc() : memref<32x72xf16, #gpu.address_space<workgroup>>
  %a0 = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x32xf16>, vector<64x32xf16>
  %b0 = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x64xf16>, vector<32x64xf16>
  vector.transfer_write %a0, %ta[%c0, %c0] {in_bounds = [true, true]}
    : vector<64x32xf16>, memref<64x40xf16, #gpu.address_space<workgroup>>
  vector.transfer_write %b0, %tb[%c0, %c0] {in_bounds = [true, true]}
    : vector<32x64xf16>, memref<32x72xf16, #gpu.address_space<workgroup>>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (vector<64x64xf32>) {
    %l = vector.transfer_read %ta[%c0, %c0], %p {in_bounds = [true, true]}
      : memref<64x40xf16, #gpu.address_space<workgroup>>, vector<64x32xf16>
    %r = vector.transfer_read %tb[%c0, %c0], %p {in_bounds = [true, true]}
      : memref<32x72xf16, #gpu.address_space<workgroup>>, vector<32x64xf16>
    %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
      affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %l, %r, %acc : vector<64x32xf16>, vector<32x64xf16> into vector<64x64xf32>
    scf.yield %d : vector<64x64xf32>
  }
  %sums = vector.multi_reduction <add>, %s, %zero [1] : vector<64x64xf32> to vector<64xf32>
  vector.transfer_write %sums, %c[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
