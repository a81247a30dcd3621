"""Division where LLVM's shortcuts through floats are at their limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest


@pytest.mark.parametrize("bits", [22, 23, 24, 25])
def test_numbers_known_to_be_short(bits: int, elementwise: Any) -> None:
    """Masked, so that the compiler knows; among them quotients that a rounded reciprocal makes one too large."""
    rng = np.random.default_rng(bits)
    a = np.concatenate([rng.integers(0, 1 << bits, 4000), [14203175, 16455686, 11550219]]).astype(np.int32)
    a &= (1 << bits) - 1
    b = np.concatenate([rng.integers(1, 12, 4000), [3, 3, 11]]).astype(np.int32)
    lines = f"""  %m = arith.constant {(1 << bits) - 1} : i32
  %p = arith.andi %x0, %m : i32
  %q = arith.andi %x1, %m : i32
  %y0 = arith.divui %p, %q : i32
  %y1 = arith.remui %p, %q : i32
  %y2 = arith.divsi %p, %q : i32"""
    quotient, rest, signed = elementwise(lines, [("i32", a), ("i32", b)], [("i32", np.int32)] * 3)
    assert np.array_equal(quotient, a // b) and np.array_equal(rest, a % b) and np.array_equal(signed, a // b)
