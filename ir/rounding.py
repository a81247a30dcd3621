"""Rounding otherwise than to nearest even, on numpy: conversions to shorter floats, and arithmetic rounded once.

The modes are IEEE 754's, named as MLIR's arith names them. What is too large becomes the largest number where the mode
rounds towards zero, and infinity (NaN in a format without one) where it rounds away from zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np

from .numerics import Array, Away, convert_float, dtype_of, round_to_odd_sum, tf32_by, to_even, widened
from .types import TF32, FloatType, Type

NEAREST_EVEN = "to_nearest_even"
MODES = (NEAREST_EVEN, "downward", "upward", "toward_zero", "to_nearest_away")
"""In the order of the numbers that MLIR's generic form writes."""

_Choice = Callable[[Array, Array, Array, Array], Array]
"""Whether magnitudes round away from zero: (negative, magnitude, next below, next above) -> mask. All in float64."""
_AWAY: Mapping[str, _Choice] = {
    "downward": lambda negative, x, below, above: negative,
    "upward": lambda negative, x, below, above: ~negative,
    "toward_zero": lambda negative, x, below, above: np.zeros_like(negative),
    "to_nearest_away": lambda negative, x, below, above: above - x <= x - below,
}


_DROPPED: Mapping[str, Away] = {
    NEAREST_EVEN: to_even,
    "downward": lambda negative, dropped, last: negative,
    "upward": lambda negative, dropped, last: ~negative,
    "toward_zero": lambda negative, dropped, last: np.zeros_like(negative),
    "to_nearest_away": lambda negative, dropped, last: dropped >= 1,
}


def to_float_by(x: Array, type: FloatType, mode: str) -> Array:
    """Floats of at most 64 bits rounded by `mode` into the shorter float `type`."""
    return tf32_by(x, _DROPPED[mode]) if type == TF32 else convert_float_by(x, dtype_of(type), mode)


def convert_float_by(x: Array, dtype: np.dtype[Any], mode: str) -> Array:
    """Floats of at most 64 bits rounded by `mode` into the shorter float `dtype`."""
    near = convert_float(x, dtype)
    if mode == NEAREST_EVEN:
        return near
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64)
        rounded = _rounded_magnitude(np.abs(wide), np.signbit(wide), dtype, mode)
        signed = np.asarray(np.copysign(rounded, wide).astype(dtype))
    inexact = np.isfinite(wide) & (near.astype(np.float64) != wide)
    return np.where(inexact, signed, near)


def _rounded_magnitude(x: Array, negative: Array, dtype: np.dtype[Any], mode: str) -> Array:
    """The rounded magnitude of finite numbers that `dtype` lacks, in float64."""
    largest, beyond = _ends(dtype)
    near = np.minimum(np.nan_to_num(convert_float(x, dtype).astype(np.float64), nan=largest, posinf=largest), largest)
    stored = near.astype(dtype)
    below = np.where(near > x, np.nextafter(stored, np.zeros_like(stored)).astype(np.float64), near)
    up = np.nextafter(stored, np.full_like(stored, largest)).astype(np.float64)
    last_step = largest - np.nextafter(np.array(largest, dtype), np.array(0, dtype)).astype(np.float64)
    above = np.where(near < x, np.where(near == largest, largest + last_step, up), near)
    away = _AWAY[mode](negative, x, below, above)
    return np.where(away, np.where(above > largest, beyond, above), below)


def _ends(dtype: np.dtype[Any]) -> tuple[float, float]:
    """The largest number, and what is beyond it: infinity or NaN."""
    import ml_dtypes

    finfo = cast("Callable[[np.dtype[Any]], Any]", ml_dtypes.finfo)  # untyped in ml_dtypes
    return float(finfo(dtype).max), float(np.array(float("inf")).astype(dtype))


def _sum(mode: str, a: Array, b: Array) -> Array:
    """Rounded to odd in float64, where a zero from two numbers of unlike sign is negative if rounded downward."""
    total = round_to_odd_sum(a, b)
    if mode != "downward":
        return total
    return np.where((total == 0) & (np.signbit(a) | np.signbit(b)), -0.0, total)


def _difference(mode: str, a: Array, b: Array) -> Array:
    return _sum(mode, a, -b)


def _product(mode: str, a: Array, b: Array) -> Array:
    """Exact in float64."""
    return np.asarray(a * b)


def _quotient(mode: str, a: Array, b: Array) -> Array:
    """Rounded to odd in float64: the remainder, exact since b has 24 bits, says on which side the quotient lies."""
    quotient = np.asarray(a / b)
    upper = (quotient.view(np.int64) & ~np.int64((1 << 29) - 1)).view(np.float64)
    error = ((a - upper * b) - (quotient - upper) * b) / b
    known = np.isfinite(error) & (error != 0)
    return round_to_odd_sum(quotient, np.where(known, error / 2, np.copysign(0.0, quotient)))


def _fused(mode: str, a: Array, b: Array, c: Array) -> Array:
    return _sum(mode, _product(mode, a, b), c)


_EXACT: Mapping[str, Callable[..., Array]] = {
    "add": _sum,
    "subtract": _difference,
    "multiply": _product,
    "divide": _quotient,
    "fma": _fused,
}


def rounded_as(name: str, mode: str, type: Type, *operands: Array) -> Array:
    """`rounded_by` of a float type's elements: of 8 bits and less, and tf32, in float32, then rounded to the type."""
    assert isinstance(type, FloatType)
    return to_float_by(rounded_by(name, mode, *map(widened, operands)), type, mode)


def rounded_by(name: str, mode: str, *operands: Array) -> Array:
    """`name` of `_EXACT` on floats of at most 24 bits of significand, rounded once by `mode` into their own type."""
    with np.errstate(all="ignore"):
        wide = _EXACT[name](mode, *(np.asarray(x.astype(np.float64)) for x in operands))
        return convert_float_by(wide, operands[0].dtype, mode)
