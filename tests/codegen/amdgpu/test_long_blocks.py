"""Blocks so long that the usual schedule takes registers without end are scheduled by another one (decision 0046)."""

from __future__ import annotations

import lanewise

_PROGRAM = """
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @f(%A: memref<32x{0}xf8E4M3FN>, %B: memref<{0}x32xf8E4M3FN>, %C: memref<32x32xf32>) kernel
    attributes {{gpu.known_block_size = array<i32: 64, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f8E4M3FN
  %zero = arith.constant dense<0.0> : vector<32x32xf32>
  %a = vector.transfer_read %A[%c0, %c0], %pad {{in_bounds = [true, true]}}
    : memref<32x{0}xf8E4M3FN>, vector<32x{0}xf8E4M3FN>
  %b = vector.transfer_read %B[%c0, %c0], %pad {{in_bounds = [true, true]}}
    : memref<{0}x32xf8E4M3FN>, vector<{0}x32xf8E4M3FN>
  %d = vector.contract {{indexing_maps = [#mk, #kn, #mn], kind = #vector.kind<add>,
    iterator_types = ["parallel", "parallel", "reduction"]}} %a, %b, %zero
    : vector<32x{0}xf8E4M3FN>, vector<{0}x32xf8E4M3FN> into vector<32x32xf32>
  vector.transfer_write %d, %C[%c0, %c0] {{in_bounds = [true, true]}} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}}
"""
"""A product of 8-bit floats for which gfx1030 has no unit: each is converted by what is written out."""
_STRATEGY = '"amdgpu-sched-strategy"="iterative-ilp"'


def test_a_product_without_a_unit_is_scheduled_otherwise_where_it_is_long() -> None:
    """LLVM itself is left out: with its usual schedule it did not end."""
    short, long = (lanewise.compile(_PROGRAM.format(depth), "gfx1030").llvm_ir for depth in (8, 56))
    assert _STRATEGY not in short
    assert _STRATEGY in long
