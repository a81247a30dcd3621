"""Arithmetic on floats of 8 bits and less, and tf32: in f32, then rounded once into the type. Numbers by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from lanewise.ir.dialects import load_all
from lanewise.ir.numerics import Array, dtype_of
from lanewise.ir.parser import parse_program
from lanewise.ir.types import FloatType

load_all()
NAN, INFINITY = math.nan, math.inf
CASES = [
    # The largest numbers are 448, 57344, 240 and 6; beyond them is NaN, infinity, NaN, and the largest again.
    ("f8E4M3FN", "arith.addf", (448.0, 8.0), 448.0),  # 456 lies nearer to 448 than to the 480 that would follow
    ("f8E4M3FN", "arith.addf", (448.0, 448.0), NAN),
    ("f8E5M2", "arith.mulf", (57344.0, 2.0), INFINITY),
    ("f8E5M2", "arith.mulf toward_zero", (57344.0, 2.0), 57344.0),
    ("f8E4M3FNUZ", "arith.addf", (240.0, 240.0), NAN),
    ("f4E2M1FN", "arith.addf", (6.0, 6.0), 6.0),
    ("f6E2M3FN", "arith.divf", (7.5, 0.125), 7.5),
    ("f6E3M2FN", "arith.subf", (28.0, 0.0625), 28.0),
    # Three bits after the point: 1.0625 is a tie between 1 and 1.125, 1.1875 one between 1.125 and 1.25.
    ("f8E4M3FN", "arith.addf", (1.0, 0.0625), 1.0),
    ("f8E4M3FN", "arith.addf", (1.125, 0.0625), 1.25),
    ("f8E4M3FN", "arith.addf upward", (1.0, 0.0625), 1.125),
    # Powers of two: 2 * 4, 2 + 1 = 3 is a tie and goes up, 1 - 2 is none, and neither is 0.
    ("f8E8M0FNU", "arith.mulf", (2.0, 4.0), 8.0),
    ("f8E8M0FNU", "arith.addf", (2.0, 1.0), 4.0),
    ("f8E8M0FNU", "arith.subf", (1.0, 2.0), NAN),
    ("f8E8M0FNU", "arith.subf", (1.0, 1.0), NAN),
    # There is no -0 in the types with one zero.
    ("f8E5M2FNUZ", "arith.mulf", (-0.5, 0.0), 0.0),
    ("f8E4M3", "arith.mulf", (-0.5, 0.0), -0.0),
    ("f8E3M4", "arith.maximumf", (-0.0, 0.0), 0.0),
    ("f8E3M4", "arith.maxnumf", (NAN, -2.0), -2.0),
    # 10 bits after the point: 1 + 2**-10 squared is 1 + 2**-9 + 2**-20.
    ("tf32", "arith.mulf", (1.0009765625, 1.0009765625), 1.001953125),
    # 4608 is a tie between 4096 and 5120, which f32 cannot tell from a number 2**-14 further on.
    ("f8E5M2", "math.fma", (1.5, 3072.0, 2.0**-14), 4096.0),
    ("f8E4M3FN", "math.fma", (1.5, 1.5, 0.0625), 2.25),
    ("f8E4M3FN", "math.sqrt", (2.0,), 1.375),
    ("f8E4M3FN", "math.absf", (-0.015625,), 0.015625),
]


@pytest.mark.parametrize(("type", "operation", "operands", "expected"), CASES)
def test_one_operation(type: str, operation: str, operands: tuple[float, ...], expected: float) -> None:
    name, _, mode = operation.partition(" ")
    names = ["%a", "%b", "%c"][: len(operands)]
    arguments = ", ".join(f"{n}: {type}" for n in names)
    text = f"func.func @f({arguments}) {{\n %0 = {name} {', '.join(names)} {mode} : {type}\n return\n}}"
    op = next(op for op in parse_program(text).walk() if op.opname == name)
    found: Array = op.reference(*(np.asarray(x, dtype_of(FloatType(type))) for x in operands))
    assert found.dtype == dtype_of(FloatType(type))
    value = float(found)
    assert (math.isnan(value) and math.isnan(expected)) or value == expected
    assert math.isnan(expected) or math.copysign(1.0, value) == math.copysign(1.0, expected)
