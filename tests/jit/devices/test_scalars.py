"""Numbers as kernel parameters: ranges, kinds, and correct rounding."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanewise.jit.arguments import ArgumentTypeError, ArgumentValueError, ScalarParameter
from lanewise.jit.scalars import converter

ML_FLOATS = [ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fnuz]


def convert(dtype, value):
    return converter(ScalarParameter("s", np.dtype(dtype)))(value)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
def test_integers_fill_their_range(dtype):
    bits, signed = 8 * np.dtype(dtype).itemsize, dtype[0] == "i"
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    assert (convert(dtype, low), convert(dtype, np.int64(5)), convert(dtype, high)) == (low, 5, high)
    for outside in (low - 1, high + 1):
        with pytest.raises(
            ArgumentValueError, match=f"'s': expected an integer from {low} to {high} .*found {outside}"
        ):
            convert(dtype, outside)


@pytest.mark.parametrize("argument", [1.0, np.float32(2), True, np.True_, "3", None, [1], np.zeros(2, np.int32)])
def test_what_is_no_integer(argument):
    with pytest.raises(ArgumentTypeError, match=r"argument 's': expected an integer \(int32\), found"):
        convert("i4", argument)


@pytest.mark.parametrize("argument", [True, np.True_, "3", 1j, None, np.zeros(2)])
def test_what_is_no_number(argument):
    with pytest.raises(ArgumentTypeError, match=r"expected a number \(float32\)"):
        convert("f4", argument)


def test_bools_are_bools_only():
    assert convert("?", True) is True
    assert convert("?", np.False_) is False
    with pytest.raises(ArgumentTypeError, match="expected a bool, found int 1"):
        convert("?", 1)


@pytest.mark.parametrize("argument", [3, 3.0, np.int8(3), np.float64(3), ml_dtypes.bfloat16(3), Fraction(3)])
def test_every_number_is_a_float(argument):
    assert convert("f4", argument) == 3.0
    assert convert(ml_dtypes.bfloat16, argument) == 0x4040


@pytest.mark.parametrize(
    ("dtype", "fits", "overflows"),
    [("f2", 65519.99, 65520.0), ("f4", 3.4028235677973362e38, 3.4028235677973366e38), ("f8", 1.7e308, 10**400)],
)
def test_the_edge_of_a_float(dtype, fits, overflows):
    code = {"f2": "e", "f4": "f", "f8": "d"}[dtype]
    assert math.isfinite(struct.unpack(code, struct.pack(code, convert(dtype, fits)))[0])
    for value in (overflows, -overflows):
        with pytest.raises(ArgumentValueError, match=f"'s': expected a number that {np.dtype(dtype)} can hold, found"):
            convert(dtype, value)
    assert convert(dtype, math.inf) == math.inf
    assert math.isnan(convert(dtype, math.nan))


@pytest.mark.parametrize("value", [1e39, 3.4e38, 10**60])
def test_ml_dtypes_overflow(value):
    with pytest.raises(ArgumentValueError, match="float8_e5m2 can hold"):
        convert(ml_dtypes.float8_e5m2, value)


def test_a_type_without_infinity():
    with pytest.raises(ArgumentValueError, match="float8_e4m3fn can hold, found inf"):
        convert(ml_dtypes.float8_e4m3fn, math.inf)
    assert convert(ml_dtypes.float8_e5m2, math.inf) == 0x7C
    assert convert(ml_dtypes.float8_e4m3fn, math.nan) & 0x7F == 0x7F


def test_rounding_happens_once():
    """Just above the midpoint of 1 and the next bfloat16; through float32 it would become the midpoint, and 1."""
    assert convert(ml_dtypes.bfloat16, 1 + 2**-8) == 0x3F80
    assert convert(ml_dtypes.bfloat16, 1 + 2**-8 + 2**-40) == 0x3F81
    assert convert(ml_dtypes.bfloat16, 1 + 3 * 2**-8 - 2**-40) == 0x3F81
    assert convert(ml_dtypes.bfloat16, -(1 + 2**-8 + 2**-40)) == 0xBF81


def finite_values(dtype):
    kind = np.dtype(dtype)
    unsigned = f"u{kind.itemsize}"
    with np.errstate(invalid="ignore"):  # signalling NaNs
        every = np.arange(2 ** (8 * kind.itemsize), dtype=unsigned).view(kind).astype(np.float64)
    return np.unique(every[np.isfinite(every)])


VALUES = {np.dtype(d): finite_values(d) for d in ML_FLOATS}


@given(st.sampled_from(list(VALUES)), st.floats(-300, 300), st.integers(-60, 60))
def test_rounding_is_to_nearest_even(dtype, mantissa, exponent):
    values = VALUES[dtype]
    value = math.ldexp(mantissa, exponent)
    if abs(value) > values[-1]:
        return
    bits = convert(dtype, value)
    got = float(np.array(bits, f"u{dtype.itemsize}").view(dtype))
    right = np.searchsorted(values, value)
    around = [float(v) for v in values[max(right - 1, 0) : right + 1]]
    distance = min(abs(Fraction(v) - Fraction(value)) for v in around)
    nearest = [v for v in around if abs(Fraction(v) - Fraction(value)) == distance]
    assert got in nearest
    assert len(nearest) == 1 or bits % 2 == 0


@pytest.mark.parametrize("dtype", ["c8", "S3", "M8[s]", ml_dtypes.int1, "i4,i4", "O"])
def test_types_that_kernels_do_not_take(dtype):
    with pytest.raises(TypeError, match=r"parameter 's': kernels take no .*; they take bool, int8"):
        ScalarParameter("s", np.dtype(dtype))
