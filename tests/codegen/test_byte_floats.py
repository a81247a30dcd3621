"""Conversions of floats of 8 bits: every value of the narrow types, against tables of exact rationals."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from lanewise.ir.numerics import convert_float

TYPES: dict[str, Any] = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
}
WIDE: dict[str, Any] = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
LAYOUTS = {"f8E4M3FN": (3, 7), "f8E5M2": (2, 15), "f8E4M3FNUZ": (3, 8), "f8E5M2FNUZ": (2, 16)}
"""Bits of the mantissa, and the bias of the exponent, from the formats' definitions."""
CODES = np.arange(256, dtype=np.uint8)


def value(code: int, type: str) -> float:
    """What a code means: NaN, an infinity, or an exact number."""
    if type == "f8E8M0FNU":
        return float("nan") if code == 255 else 2.0 ** (code - 127)
    mantissa_bits, bias = LAYOUTS[type]
    sign = -1.0 if code & 0x80 else 1.0
    field, fraction = (code & 0x7F) >> mantissa_bits, code & ((1 << mantissa_bits) - 1)
    if type.endswith("UZ") and code == 0x80:
        return float("nan")
    if type == "f8E4M3FN" and code & 0x7F == 0x7F:
        return float("nan")
    if type == "f8E5M2" and field == 31:
        return float("nan") if fraction else sign * float("inf")
    significand = fraction if field == 0 else fraction + (1 << mantissa_bits)
    return sign * significand * 2.0 ** (max(field, 1) - bias - mantissa_bits)


def same(a: Any, b: Any) -> bool:
    """The same numbers with the same signs of zero; NaN is NaN."""
    both_nan = np.isnan(a) & np.isnan(b)
    return bool((both_nan | ((a == b) & (np.signbit(a) == np.signbit(b)))).all())


@pytest.mark.parametrize("wide", WIDE)
@pytest.mark.parametrize("type", TYPES)
def test_every_code_extends_exactly(type: str, wide: str, elementwise: Any) -> None:
    (found,) = elementwise(
        f"  %y0 = arith.extf %x0 : {type} to {wide}", [(type, CODES.view(TYPES[type]))], [(wide, WIDE[wide])]
    )
    with np.errstate(over="ignore"):
        expected = np.array([value(int(c), type) for c in CODES]).astype(WIDE[wide])  # f16 has not all powers of two
    assert same(found.astype(np.float64), expected.astype(np.float64))


def nearest(x: Any, type: str) -> Any:
    """The nearest code to each f64: ties go to the even one; beyond the largest number's last tie is what overflows."""
    codes = [c for c in range(128) if np.isfinite(value(c, type))]
    numbers = np.array([value(c, type) for c in codes])
    step = numbers[-1] - numbers[-2]
    limits = np.append((numbers[1:] + numbers[:-1]) / 2, numbers[-1] + step / 2)
    magnitude = np.abs(np.where(np.isnan(x), 0, x))
    low = np.searchsorted(limits, magnitude)  # a tie counts as below its limit: the smaller neighbour
    at_tie = np.isin(magnitude, limits) & (low % 2 == 1)
    code = low + at_tie
    sign = np.where(np.signbit(x), 0x80, 0)
    over = code >= len(codes)
    unsigned = type.endswith("UZ")
    beyond = {"f8E4M3FN": 0x7F, "f8E5M2": 0x7C}.get(type, 0x80)
    nan = {"f8E4M3FN": 0x7F, "f8E5M2": 0x7E}.get(type, 0x80)
    code = np.where(over, beyond, code)
    code = np.where(np.isnan(x), nan, code)
    if unsigned:
        return np.where((code == 0) | (code == 0x80), code, code | sign).astype(np.uint8)
    return (code | sign).astype(np.uint8)


def nearest_power(x: Any) -> Any:
    """Ties go up, and so does what lies between the two smallest; zero, negative numbers and too large ones are NaN."""
    found = np.full(x.shape, 255, np.uint8)
    usable = (x > 0) & np.isfinite(x)
    exponent = np.floor(np.log2(x, where=usable, out=np.zeros_like(x)))
    exponent += np.where(exponent == -127, x > 2.0**-127, x >= 1.5 * 2.0**exponent)
    found[usable] = np.clip(exponent[usable] + 127, 0, 255).astype(np.uint8)
    return found


def expected_codes(x: Any, type: str) -> Any:
    with np.errstate(invalid="ignore"):
        wide = x.astype(np.float64)
        return nearest_power(wide) if type == "f8E8M0FNU" else nearest(wide, type)


def equal_codes(a: Any, b: Any, type: str) -> bool:
    """NaN has many codes where the format has a sign and an infinity."""
    nan = np.array([np.isnan(value(c, type)) for c in range(256)])
    return bool(((a == b) | (nan[a] & nan[b])).all())


@pytest.mark.parametrize("wide", ["f16", "bf16"])
@pytest.mark.parametrize("type", TYPES)
def test_every_number_of_16_bits_is_rounded_to_the_nearest(type: str, wide: str, elementwise: Any) -> None:
    x = np.arange(1 << 16, dtype=np.uint16).view(WIDE[wide])
    (found,) = elementwise(f"  %y0 = arith.truncf %x0 : {wide} to {type}", [(wide, x)], [(type, TYPES[type])])
    assert equal_codes(found.view(np.uint8), expected_codes(x, type), type)


def around(type: str) -> Any:
    """Numbers at, just below and just above every tie and every code of a type, as f64."""
    finite = np.array(sorted({abs(value(c, type)) for c in range(256)} - {float("inf")}))
    finite = finite[np.isfinite(finite)]
    places = np.concatenate(
        [finite, (finite[1:] + finite[:-1]) / 2, [2 * finite[-1], 1.5 * finite[-1], finite[0] / 2, 0.0]]
    )
    places = np.append(places, finite[-1] + (finite[-1] - finite[-2]) / 2)
    near = np.concatenate([places, np.nextafter(places, np.inf), np.nextafter(places, -np.inf)])
    return np.concatenate([near, -near, [np.inf, -np.inf, np.nan, 1e-300, -1e300]])


@pytest.mark.parametrize("type", TYPES)
def test_double_precision_is_rounded_once(type: str, elementwise: Any) -> None:
    """A step of f64 beside a tie is lost in f32: the result must know of it."""
    x = around(type)
    (found,) = elementwise(f"  %y0 = arith.truncf %x0 : f64 to {type}", [("f64", x)], [(type, TYPES[type])])
    assert equal_codes(found.view(np.uint8), expected_codes(x, type), type)


@pytest.mark.parametrize("type", TYPES)
def test_single_precision_at_every_tie(type: str, elementwise: Any) -> None:
    with np.errstate(over="ignore"):
        places = around(type).astype(np.float32)
    x = np.concatenate([places, np.nextafter(places, np.float32(np.inf)), np.nextafter(places, np.float32(-np.inf))])
    (found,) = elementwise(f"  %y0 = arith.truncf %x0 : f32 to {type}", [("f32", x)], [(type, TYPES[type])])
    assert equal_codes(found.view(np.uint8), expected_codes(x, type), type)


@pytest.mark.parametrize("type", TYPES)
def test_the_reference_rounds_the_same_way(type: str) -> None:
    for x in (around(type), np.arange(1 << 16, dtype=np.uint16).view(np.float16)):
        found = convert_float(x, np.dtype(TYPES[type])).view(np.uint8)
        assert equal_codes(found, expected_codes(x, type), type)
