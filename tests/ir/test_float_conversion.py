"""Rounding into short float types happens once, also where the path there has several steps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanewise.ir import numerics
from lanewise.ir.types import BF16, F16, F32, FloatType

TYPES = [F16, BF16, FloatType("f8E4M3FN"), FloatType("f8E5M2")]


def nearest(value: float, type: FloatType) -> float:
    """The nearest finite value of the type, the one with an even bit pattern of two."""
    dtype = numerics.dtype_of(type)
    patterns = np.arange(1 << (type.width - 1), dtype=np.uint16 if type.width == 16 else np.uint8)
    with np.errstate(invalid="ignore"):
        values = patterns.view(dtype).astype(np.float64)
    finite = values[np.isfinite(values)]
    above = int(np.searchsorted(finite, abs(value)))
    below = max(above - 1, 0)
    low, high = finite[below], finite[min(above, len(finite) - 1)]
    from_low, from_high = abs(value) - low, high - abs(value)
    best = low if from_low < from_high or (from_low == from_high and below % 2 == 0) else high
    return float(np.copysign(best, value))


@pytest.mark.parametrize("type", TYPES, ids=str)
@given(st.data())
def test_conversion_from_f64_rounds_to_nearest_even(type: FloatType, data: st.DataObject) -> None:
    bits = data.draw(st.integers(0, (1 << (type.width - 1)) - 2))
    dtype = numerics.dtype_of(type)
    storage = np.uint16 if type.width == 16 else np.uint8
    low, high = (float(np.array(b, storage).view(dtype)) for b in (bits, bits + 1))
    if not np.isfinite([low, high]).all():
        return
    middle = (low + high) / 2
    nudge = data.draw(st.sampled_from([0.0, 2.0**-45, -(2.0**-45), 0.25, -0.25]))
    value = (middle + nudge * (high - low)) * data.draw(st.sampled_from([1, -1]))
    assert float(numerics.convert_float(np.array(value), dtype)) == nearest(value, type)


def test_conversion_keeps_special_values() -> None:
    dtype = numerics.dtype_of(BF16)
    values = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 3.4e38, 1e300])
    result = numerics.convert_float(values, dtype).astype(np.float64)
    assert np.isnan(result[0])
    assert result[1:].tolist() == [np.inf, -np.inf, 0.0, -0.0, np.inf, np.inf]
    assert np.signbit(result[4])


def test_fma_of_bf16_rounds_once() -> None:
    dtype = numerics.dtype_of(BF16)
    a, c = np.array([1 + 2.0**-7]).astype(dtype), np.array([-1 - 2.0**-6]).astype(dtype)
    assert float(numerics.fma(a, a, c)[0]) == 2.0**-14
    assert float((a * a + c)[0]) == 0.0


@pytest.mark.parametrize("type", TYPES[:2], ids=str)
@given(bits=st.integers(0, 0x7B00), nudge=st.sampled_from([0.0, 2.0**-45, -(2.0**-45), 0.25]), negative=st.booleans())
def test_constants_are_rounded_to_nearest_even(type: FloatType, bits: int, nudge: float, negative: bool) -> None:
    """Constants of programs go another way than arrays; middles of two neighbours show it."""
    low, high = (float(np.array(b, np.uint16).view(numerics.dtype_of(type))) for b in (bits, bits + 1))
    value = (low + high) / 2 + nudge * (high - low)
    value = -value if negative else value
    assert np.float64(numerics.round_to(value, type)).tobytes() == np.float64(nearest(value, type)).tobytes()


@given(st.floats(width=64, allow_nan=False))
def test_constants_of_f32_are_rounded_as_numpy_does_it(value: float) -> None:
    with np.errstate(over="ignore"):
        expected = np.float64(np.float32(value))
    assert np.float64(numerics.round_to(value, F32)).tobytes() == expected.tobytes()
