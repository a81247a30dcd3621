// What products of four subgroups do not take.
// test verify
#space = #gpu.address_space<workgroup>
!box = !nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, #space>, swizzle = swizzle_128b, l2promo = none, oob = zero,
  interleave = none>
!plain = !nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, #space>, swizzle = none, l2promo = none, oob = zero,
  interleave = none>
!tile = !nvgpu.warpgroup.descriptor<tensor = memref<64x64xf16, #space>>
!wide = !nvgpu.warpgroup.descriptor<tensor = memref<64x128xf16, #space>>
!bytes = !nvgpu.warpgroup.descriptor<tensor = memref<64x64xi8, #space>>
!sums = !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>>
!whole = !nvgpu.warpgroup.accumulator<fragmented = vector<64x128xf32>>
!ints = !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xi32>>
func.func @wrong(%map: !box, %plain: !plain, %s: memref<64x64xf16, #space>, %w: memref<128x64xf16, #space>,
    %g: memref<64x64xf16>, %out: memref<64x64xf16>, %given: !tile, %bytes: !bytes) {
  %0 = nvgpu.warpgroup.generate.descriptor %g, %map : memref<64x64xf16>, !box -> !tile // expected-error {{is of a static memref of two dimensions in workgroup memory, found memref<64x64xf16>}}
  %1 = nvgpu.warpgroup.generate.descriptor %s, %plain : memref<64x64xf16, #space>, !plain -> !tile // expected-error {{needs a map with a swizzle that is not interleaved, found none and none}}
  %2 = nvgpu.warpgroup.generate.descriptor %s, %map : memref<64x64xf16, #space>, !box -> !wide // expected-error {{is of a tile of [64, 128] elements or these exchanged, found memref<64x64xf16}}
  %3 = nvgpu.warpgroup.generate.descriptor %s, %map : memref<64x64xf16, #space>, !box -> !bytes // expected-error {{is of elements of i8 for a tile of i8, found f16, and f16 in the map}}
  %a = nvgpu.warpgroup.generate.descriptor %s, %map : memref<64x64xf16, #space>, !box -> !tile
  %b = nvgpu.warpgroup.generate.descriptor %w, %map : memref<128x64xf16, #space>, !box -> !wide
  %c = nvgpu.warpgroup.mma.init.accumulator -> !sums
  %i = nvgpu.warpgroup.mma.init.accumulator -> !ints
  %d = nvgpu.warpgroup.mma.init.accumulator -> !whole
  %4 = nvgpu.warpgroup.mma %a, %a, %c : !tile, !tile, !sums -> !whole // expected-error {{result must be !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>> as matrixC}}
  %5 = nvgpu.warpgroup.mma %a, %b, %c : !tile, !wide, !sums -> !sums // expected-error {{shapes do not multiply}}
  %6 = nvgpu.warpgroup.mma %a, %a, %i : !tile, !tile, !ints -> !ints // expected-error {{is no product that wgmma has: i32 += f16 * f16 of 64 columns}}
  %7 = nvgpu.warpgroup.mma %a, %a, %c {waitGroup = -1 : i32} : !tile, !tile, !sums -> !sums // expected-error {{waitGroup must be a number of at least 0 of type i32, found -1 : i32}}
  %8 = nvgpu.warpgroup.mma %a, %given, %c : !tile, !tile, !sums -> !sums // expected-error {{descriptorB must be what nvgpu.warpgroup.generate.descriptor gives}}
  %9 = nvgpu.warpgroup.mma %a, %b, %d {transposeB} : !tile, !wide, !whole -> !whole // expected-error {{descriptorB must be of [64, 128] elements, whose last dimension is columns, found memref<128x64xf16}}
  %10 = nvgpu.warpgroup.mma %bytes, %bytes, %i {transposeA} : !bytes, !bytes, !ints -> !ints // expected-error {{has transposeA, which is for elements of 16 bits, found i8}} // expected-error {{descriptorA must be what}} // expected-error {{descriptorB must be what}}
  nvgpu.warpgroup.mma.store %c, %out : !sums to memref<64x64xf16> // expected-error {{stores vector<64x64xf32> to as many elements of its type, found memref<64x64xf16>}}
  return
}

// -----
!rows = !nvgpu.warpgroup.accumulator<fragmented = vector<32x64xf32>> // expected-error {{an accumulator has multiples of 64 rows and of 8 columns, up to 256 of these, found vector<32x64xf32>}}
func.func @sums(%a: !rows) {
  return
}

// -----
!doubles = !nvgpu.warpgroup.descriptor<tensor = memref<64x64xf64, 3>> // expected-error {{a tile is of f16, bf16, tf32, f8E4M3FN, f8E5M2, i8, ui8 in workgroup memory, found memref<64x64xf64, 3 : i64>}}
func.func @tile(%a: !doubles) {
  return
}
