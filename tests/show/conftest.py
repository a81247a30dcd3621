"""Small programs whose vectors and buffers are laid out in a known way."""

from __future__ import annotations

from pathlib import Path

import pytest

CONVERTED = """#rows = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 1], thread_tile = [8, 4], element_tile = [1, 2],
  subgroup_strides = [0, 0], thread_strides = [4, 1]>
#wide = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [16, 2], element_tile = [1, 4],
  subgroup_strides = [0, 0], thread_strides = [2, 1]>

gpu.func @converted(%x: memref<16x8xf32>, %y: memref<16x8xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, true]} : memref<16x8xf32>, vector<16x8xf32>
  %held = iree_vector_ext.to_layout %a to layout(#rows) : vector<16x8xf32>
  %b = arith.addf %held, %held : vector<16x8xf32>
  %moved = iree_vector_ext.to_layout %b to layout(#wide) : vector<16x8xf32>
  vector.transfer_write %moved, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  gpu.return
}
"""

SWIZZLED = """gpu.func @swizzled(%x: memref<8x64xf16>, %y: memref<8x64xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  %tile = memref.alloc() {iree_codegen.swizzle = #iree_codegen.xor_shuffle<64, 8>}
    : memref<8x64xf16, #gpu.address_space<workgroup>>
  %a = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, true]} : memref<8x64xf16>, vector<8x64xf16>
  vector.transfer_write %a, %tile[%c0, %c0] {in_bounds = [true, true]}
    : vector<8x64xf16>, memref<8x64xf16, #gpu.address_space<workgroup>>
  gpu.barrier
  %b = vector.transfer_read %tile[%c0, %c0], %pad {in_bounds = [true, true]}
    : memref<8x64xf16, #gpu.address_space<workgroup>>, vector<8x64xf16>
  vector.transfer_write %b, %y[%c0, %c0] {in_bounds = [true, true]} : vector<8x64xf16>, memref<8x64xf16>
  gpu.return
}
"""


@pytest.fixture
def converted(tmp_path: Path) -> Path:
    """The file of a program that converts a 16x8 vector from rows of two elements a thread to rows of four."""
    path = tmp_path / "converted.mlir"
    path.write_text(CONVERTED)
    return path


@pytest.fixture
def swizzled(tmp_path: Path) -> Path:
    """The file of a program whose buffer of shared memory is mixed by the number of its row."""
    path = tmp_path / "swizzled.mlir"
    path.write_text(SWIZZLED)
    return path
