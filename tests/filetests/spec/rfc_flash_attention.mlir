// Flash attention of the register layout RFC. Every subgroup has 32 of 128 rows: two of AMD's wide subgroups have 64.
// test roundtrip
// test run
// test run target=gfx942

// The text as it is: K and V never advance, so that any number of iterations gives what one gives.
// Read so: `maxf` is `maximumf`, and a closing brace stands before %12. What the text does not say: c0, c128, c4096 (an
// argument here) and %8; cst_0 = -1e30, cst_1 = cst = cst_2 = 0, cst_3 = 1, cst_4 = 0 : f16; maps 4 to 7; how tiles are filled.
// m16n8k16: 32/16 * 128/8 * 64/16 for the first product, 32/16 * 64/8 * 128/16 for the second, in each subgroup.
// expect sm_80: mma 256
// expect sm_90: mma 256
// 32x32x8: 4 * 8 and 2 * 16; 16x16x16 would take twice as many.
// expect gfx942: mma <= 128, mma >= 64
// 16x16x16: 2 * 8 * 4 and 2 * 4 * 8.
// expect gfx1100: mma 128
// lanewise.args N = 256: q = normal(1, 128, 64), k = normal(128, 64), v = normal(128, 64), o = empty(1, 128, 64), c4096 = N; grid = 1
#map4 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map5 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map7 = affine_map<(d0, d1) -> (d1, d0)>
gpu.func @flash(%q: memref<1x128x64xf16>, %k: memref<128x64xf16>, %v: memref<128x64xf16>, %o: memref<1x128x64xf16>, %c4096: index)
    kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.scope = "subgroup"} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %cst = arith.constant dense<0.0> : vector<32x64xf32>
  %cst_0 = arith.constant dense<-1.0e30> : vector<32xf32>
  %cst_1 = arith.constant dense<0.0> : vector<32xf32>
  %cst_2 = arith.constant dense<0.0> : vector<32x128xf32>
  %cst_3 = arith.constant dense<1.0> : vector<32xf32>
  %cst_4 = arith.constant 0.0 : f16
  %id = gpu.subgroup_id : index
  %8 = arith.muli %id, %c32 : index
  %subgroups = gpu.num_subgroups : index
  %rows = arith.muli %subgroups, %c32 : index
  %alloc = memref.alloc() : memref<1x128x64xf16, #gpu.address_space<workgroup>>
  %alloc_11 = memref.alloc() : memref<128x64xf16, #gpu.address_space<workgroup>>
  %alloc_12 = memref.alloc() : memref<128x64xf16, #gpu.address_space<workgroup>>
  %alloc_7 = memref.alloc() : memref<1x128x64xf16, #gpu.address_space<workgroup>>
  %q0 = vector.transfer_read %q[%c0, %8, %c0], %cst_4 {in_bounds = [true, true]} : memref<1x128x64xf16>, vector<32x64xf16>
  vector.transfer_write %q0, %alloc[%c0, %8, %c0] {in_bounds = [true, true]} : vector<32x64xf16>, memref<1x128x64xf16, #gpu.address_space<workgroup>>
  scf.for %row = %8 to %c128 step %rows {
    %k0 = vector.transfer_read %k[%row, %c0], %cst_4 {in_bounds = [true, true]} : memref<128x64xf16>, vector<32x64xf16>
    vector.transfer_write %k0, %alloc_11[%row, %c0] {in_bounds = [true, true]} : vector<32x64xf16>, memref<128x64xf16, #gpu.address_space<workgroup>>
    %v0 = vector.transfer_read %v[%row, %c0], %cst_4 {in_bounds = [true, true]} : memref<128x64xf16>, vector<32x64xf16>
    vector.transfer_write %v0, %alloc_12[%row, %c0] {in_bounds = [true, true]} : vector<32x64xf16>, memref<128x64xf16, #gpu.address_space<workgroup>>
  }
  gpu.barrier
  %9 = vector.transfer_read %alloc[%c0, %8, %c0], %cst_4 {in_bounds = [true, true]} : memref<1x128x64xf16, #gpu.address_space<workgroup>>, vector<32x64xf16>
  %10 = arith.extf %9 : vector<32x64xf16> to vector<32x64xf32>
  %11:3 = scf.for %arg0 = %c0 to %c4096 step %c128 iter_args(%arg1 = %cst_0,   %arg2 = %cst_1, %arg3 = %cst) -> (vector<32xf32>, vector<32xf32>, vector<32x64xf32>) {
    %13 = vector.transfer_read %alloc_11[%c0, %c0], %cst_4 {in_bounds = [true, true]} : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<128x64xf16>
    %14 = arith.extf %13 : vector<128x64xf16> to vector<128x64xf32>
    %15 = vector.contract {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %10, %14, %cst_2 : vector<32x64xf32>, vector<128x64xf32> into vector<32x128xf32>
    %16 = vector.multi_reduction <maximumf>, %15, %arg1 [1] : vector<32x128xf32> to vector<32xf32>
    %17 = vector.broadcast %16 : vector<32xf32> to vector<128x32xf32>
    %18 = vector.transpose %17, [1, 0] : vector<128x32xf32> to vector<32x128xf32>
    %19 = arith.subf %15, %18 : vector<32x128xf32>
    %20 = math.exp2 %19 : vector<32x128xf32>
    %21 = arith.subf %arg1, %16 : vector<32xf32>
    %22 = math.exp2 %21 : vector<32xf32>
    %23 = arith.mulf %22, %arg2 : vector<32xf32>
    %24 = vector.multi_reduction <add>, %20, %23 [1] : vector<32x128xf32> to vector<32xf32>
    %25 = arith.divf %cst_3, %24 : vector<32xf32>
    %26 = vector.broadcast %25 : vector<32xf32> to vector<128x32xf32>
    %27 = vector.transpose %26, [1, 0] : vector<128x32xf32> to vector<32x128xf32>
    %28 = arith.mulf %20, %27 : vector<32x128xf32>
    %29 = arith.truncf %28 : vector<32x128xf32> to vector<32x128xf16>
    %30 = vector.broadcast %23 : vector<32xf32> to vector<64x32xf32>
    %31 = vector.broadcast %25 : vector<32xf32> to vector<64x32xf32>
    %32 = vector.transpose %30, [1, 0] : vector<64x32xf32> to vector<32x64xf32>
    %33 = vector.transpose %31, [1, 0] : vector<64x32xf32> to vector<32x64xf32>
    %34 = arith.mulf %32, %33 : vector<32x64xf32>
    %35 = arith.mulf %34, %arg3 : vector<32x64xf32>
    %36 = arith.extf %29 : vector<32x128xf16> to vector<32x128xf32>
    %37 = vector.transfer_read %alloc_12[%c0, %c0], %cst_4 {in_bounds = [true, true], permutation_map = #map7} : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<64x128xf16>
    %38 = arith.extf %37 : vector<64x128xf16> to vector<64x128xf32>
    %39 = vector.contract {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %36, %38, %35 : vector<32x128xf32>, vector<64x128xf32> into vector<32x64xf32>
    scf.yield %16, %24, %39 : vector<32xf32>, vector<32xf32>, vector<32x64xf32>
  }
  %12 = arith.truncf %11#2 : vector<32x64xf32> to vector<32x64xf16>
  vector.transfer_write %12, %alloc_7[%c0, %8, %c0] {in_bounds = [true, true]} : vector<32x64xf16>, memref<1x128x64xf16, #gpu.address_space<workgroup>>
  gpu.barrier
  %r = vector.transfer_read %alloc_7[%c0, %8, %c0], %cst_4 {in_bounds = [true, true]} : memref<1x128x64xf16, #gpu.address_space<workgroup>>, vector<32x64xf16>
  vector.transfer_write %r, %o[%c0, %8, %c0] {in_bounds = [true, true]} : vector<32x64xf16>, memref<1x128x64xf16>
  gpu.return
}
