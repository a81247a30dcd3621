"""tcgen05 on the emulator: every kind of product against numpy, and each way to move data."""

from __future__ import annotations

import numpy as np
import pytest
from lanewise.distribute.interpret import interpret_kernel
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program

from .conftest import compiled, launched
from .tensor_programs import Case

CASES = [
    Case("f16", "f16", "f32", 256, 16),
    Case("f16", "f16", "f32", 16, 128),
    Case("f16", "f16", "f16", 48, 64),
    Case("bf16", "bf16", "f32", 128, 32),
    Case("f16", "f16", "f32", 64, 32, (False, True)),
    Case("bf16", "bf16", "f32", 64, 32, (True, False)),
    Case("f16", "f16", "f32", 128, 16, (False, False)),
    Case("tf32", "tf32", "f32", 32, 16),
    Case("f8E4M3FN", "f8E5M2", "f32", 32, 64),
    Case("f8E5M2", "f8E5M2", "f32", 16, 128),
    Case("i8", "i8", "i32", 48, 64),
    Case("ui8", "i8", "i32", 16, 32),
    Case("ui8", "ui8", "i32", 16, 32),
]


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.a}.{c.b}.{c.c}.{c.n}x{c.depth}")
def test_products(case: Case) -> None:
    """Small integers: every sum is exact."""
    left, right = case.factors()
    wanted = left.astype(np.float64) @ right.astype(np.float64).T
    text = case.program()
    found = launched(compiled(text, "sm_100a"), case.values())[2]
    assert np.array_equal(found.astype(np.float64), wanted)
    interpreted = case.values()
    interpret_kernel(find_kernel(parse_program(text)), (1, 1, 1), interpreted, subgroup_size=32)
    assert np.array_equal(interpreted[2].astype(np.float64), wanted)
