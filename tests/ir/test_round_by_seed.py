"""amdgpu.packed_stoch_round_fp8: which bits of the seed decide, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest
from lanewise.ir.dialects.amdgpu_packed import code_by_seed
from lanewise.ir.types import FloatType

HALF, BELOW = 0x80000000, 0x7FFFF000
CASES = [
    # Between 1 (7 << 3) and 1.125 of three bits, half of the way: 20 bits are cut off.
    ("f8E4M3FN", 1.0625, 0, 7 << 3),
    ("f8E4M3FN", 1.0625, BELOW, 7 << 3),
    ("f8E4M3FN", 1.0625, HALF, 7 << 3 | 1),
    ("f8E4M3FN", -1.0625, HALF | 0xFFF, 7 << 3 | 1),
    # What is exact stays, and a carry is the next power of two.
    ("f8E4M3FN", 1.125, 0xFFFFFFFF, 7 << 3 | 1),
    ("f8E4M3FN", 1.9375, HALF, 8 << 3),
    # Below 2^-6 in steps of 2^-9: 2.25 of them want three quarters of the seed's range.
    ("f8E4M3FN", 2.25 * 2.0**-9, 0xBFFFF000, 2),
    ("f8E4M3FN", 2.25 * 2.0**-9, 0xC0000000, 3),
    ("f8E4M3FN", 0.0, 0xFFFFFFFF, 0),
    ("f8E4M3FN", 0.5 * 2.0**-9, HALF, 1),
    # Two bits: 21 are cut off.
    ("f8E5M2", 1.125, 0x7FFFF800, 15 << 2),
    ("f8E5M2", 1.125, HALF, 15 << 2 | 1),
    # Biases are greater by one without a negative zero.
    ("f8E4M3FNUZ", 1.0625, HALF, 8 << 3 | 1),
    ("f8E5M2FNUZ", 1.0, 0xFFFFFFFF, 16 << 2),
]


@pytest.mark.parametrize(("type", "x", "seed", "code"), CASES)
def test_the_seed_decides(type: str, x: float, seed: int, code: int) -> None:
    found = code_by_seed(np.array([x], np.float32), np.array([seed], np.uint32).view(np.int32), FloatType(type))
    assert found.tolist() == [code]
