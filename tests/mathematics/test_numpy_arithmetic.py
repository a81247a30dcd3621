"""The array arithmetic, operation by operation, against exact rationals and Python's integers."""

from fractions import Fraction
from math import inf, isfinite, isnan, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanewise.codegen.mathematics import NumpyArithmetic

WIDE = NumpyArithmetic(64)
NARROW = NumpyArithmetic(32)


def rounded64(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def rounded32(value: Fraction) -> float:
    """To nearest even by its definition: the integer multiple of the last place."""
    if not value:
        return 0.0
    exponent = -149
    while abs(value) >= Fraction(2) ** (exponent + 24):
        exponent += 1
    result = round(value / Fraction(2) ** exponent) * Fraction(2) ** exponent
    limit = Fraction(2) ** 128
    return inf if result >= limit else -inf if result <= -limit else float(result)


def fma_at(arithmetic: NumpyArithmetic, *operands: float) -> float:
    with np.errstate(all="ignore"):
        arrays = (np.array([v], f"f{arithmetic.float_bits // 8}") for v in operands)
        return float(arithmetic.fma(*arrays)[0])


FLOATS64 = st.floats(allow_nan=False, allow_infinity=False)
FLOATS32 = st.floats(allow_nan=False, allow_infinity=False, width=32)


@given(FLOATS64, FLOATS64, FLOATS64)
def test_fma64_rounds_once(x: float, y: float, z: float) -> None:
    assert fma_at(WIDE, x, y, z) == rounded64(Fraction(x) * Fraction(y) + Fraction(z))


@given(st.floats(-4, 4), st.floats(-4, 4), st.integers(-3, 3))
def test_fma64_under_cancellation(x: float, y: float, steps: int) -> None:
    z = -(x * y)
    for _ in range(abs(steps)):
        z = float(np.nextafter(z, inf if steps > 0 else -inf))
    assert fma_at(WIDE, x, y, z) == rounded64(Fraction(x) * Fraction(y) + Fraction(z))


@given(FLOATS32, FLOATS32, FLOATS32)
def test_fma32_rounds_once(x: float, y: float, z: float) -> None:
    assert fma_at(NARROW, x, y, z) == rounded32(Fraction(x) * Fraction(y) + Fraction(z))


@pytest.mark.parametrize(
    ("x", "y", "z", "exact"),
    [
        (1 + 2**-12, 1 + 2**-12, 2**-80, 1 + 2**-11 + 2**-23),  # above a half by the addend alone
        (1 + 2**-12, 1 + 2**-12, -(2**-80), 1 + 2**-11),  # below it
        (4097.0, 4097.0, -16785408.0, 1.0),
        (2**-100, 2**-49, 2**-149, 2**-148),  # 1.5 subnormal steps: to even
    ],
)
def test_fma32_where_two_roundings_differ(x: float, y: float, z: float, exact: float) -> None:
    assert rounded32(Fraction(x) * Fraction(y) + Fraction(z)) == fma_at(NARROW, x, y, z)
    assert fma_at(NARROW, x, y, z) == exact


@pytest.mark.parametrize("arithmetic", [NARROW, WIDE])
def test_fma_of_special_operands(arithmetic: NumpyArithmetic) -> None:
    assert fma_at(arithmetic, inf, 2.0, 1.0) == inf
    assert isnan(fma_at(arithmetic, inf, 2.0, -inf))
    assert isnan(fma_at(arithmetic, inf, 0.0, 1.0))
    assert isnan(fma_at(arithmetic, nan, 1.0, 1.0))
    assert fma_at(arithmetic, 1.0, 1.0, -inf) == -inf
    for x, z in ((0.0, -0.0), (-0.0, -0.0), (-0.0, 0.0)):
        assert str(fma_at(arithmetic, x, 1.0, z)) == str(x * 1.0 + z)


INTEGERS = {32: st.integers(0, 2**32 - 1), 64: st.integers(0, 2**64 - 1)}


@pytest.mark.parametrize("arithmetic", [NARROW, WIDE])
@given(data=st.data())
def test_integers_wrap(arithmetic: NumpyArithmetic, data: Any) -> None:
    width = arithmetic.float_bits
    i, j = data.draw(INTEGERS[width]), data.draw(INTEGERS[width])
    amount = data.draw(st.integers(0, width - 1))
    a, b = arithmetic.integer(i), arithmetic.integer(j)
    signed = i - (1 << width) if i >> (width - 1) else i
    with np.errstate(all="ignore"):
        found = {
            "iadd": (arithmetic.iadd(a, b), i + j),
            "isub": (arithmetic.isub(a, b), i - j),
            "imul": (arithmetic.imul(a, b), i * j),
            "umulh": (arithmetic.umulh(a, b), i * j >> width),
            "shl": (arithmetic.shl(a, amount), i << amount),
            "lshr": (arithmetic.lshr(a, amount), i >> amount),
            "ashr": (arithmetic.ashr(a, amount), signed >> amount),
        }
    for name, (value, expected) in found.items():
        assert int(value) % (1 << width) == expected % (1 << width), name


@given(FLOATS32)
def test_bits_and_back(x: float) -> None:
    value = np.array([x], np.float32)
    assert NARROW.from_bits(NARROW.bits(value)).tobytes() == value.tobytes()
    assert isfinite(x)
