// Tiles that fill seven eighths of the shared memory go through it; the rest is for what changes its layout.
// test run target=gfx942
// (384 + 64) * 64 numbers of two bytes. Each of four subgroups has 384 / 32 * 64 / 32 * 64 / 8 / 4 products.
// expect gfx942: layout memref.alloc 2, shared bytes 57344, mma 48, loop conversions 0, spills 0
// lanewise.args a = integers(-3, 3, 384, 128), b = integers(-3, 3, 128, 64), c = empty(384, 64); grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @tall(%a: memref<384x128xf16>, %b: memref<128x64xf16>, %c: memref<384x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 64 : index
  %depth = arith.constant 128 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<384x64xf32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<384x64xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<384x128xf16>, vector<384x64xf16>
    %s = vector.transfer_read %b[%k, %c0], %p {in_bounds = [true, true]} : memref<128x64xf16>, vector<64x64xf16>
    %d = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %l, %s, %sum : vector<384x64xf16>, vector<64x64xf16> into vector<384x64xf32>
    scf.yield %d : vector<384x64xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<384x64xf32>, memref<384x64xf32>
  gpu.return
}
// -----
// Where nothing changes its layout but what goes through the tiles they may have all of it: (64 + 64) * 256 numbers of two bytes.
// expect gfx942: layout memref.alloc 2, shared bytes 65536, mma 32, loop conversions 0, spills 0
// lanewise.args a = integers(-3, 3, 64, 512), b = integers(-3, 3, 512, 64), c = empty(64, 64); grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @deep(%a: memref<64x512xf16>, %b: memref<512x64xf16>, %c: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 256 : index
  %depth = arith.constant 512 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<64x64xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<64x512xf16>, vector<64x256xf16>
    %s = vector.transfer_read %b[%k, %c0], %p {in_bounds = [true, true]} : memref<512x64xf16>, vector<256x64xf16>
    %d = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %l, %s, %sum : vector<64x256xf16>, vector<256x64xf16> into vector<64x64xf32>
    scf.yield %d : vector<64x64xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
// -----
// A sum over rows needs some: one of the tiles is left where it is.
// expect gfx942: layout memref.alloc 1
// lanewise.args a = integers(-3, 3, 64, 512), b = integers(-3, 3, 512, 64), c = empty(64); grid = 1
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @summed(%a: memref<64x512xf16>, %b: memref<512x64xf16>, %c: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 256 : index
  %depth = arith.constant 512 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %none = arith.constant dense<0.0> : vector<64xf32>
  %r = scf.for %k = %c0 to %depth step %step iter_args(%sum = %z) -> (vector<64x64xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<64x512xf16>, vector<64x256xf16>
    %s = vector.transfer_read %b[%k, %c0], %p {in_bounds = [true, true]} : memref<512x64xf16>, vector<256x64xf16>
    %d = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %l, %s, %sum : vector<64x256xf16>, vector<256x64xf16> into vector<64x64xf32>
    scf.yield %d : vector<64x64xf32>
  }
  %total = vector.multi_reduction <add>, %r, %none [0] : vector<64x64xf32> to vector<64xf32>
  vector.transfer_write %total, %c[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
