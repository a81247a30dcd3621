"""Conversions between numbers of all formats, on arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .floats import DECODE, ENCODE, F8, U8, flush_bits, relu, saturate

Array = npt.NDArray[Any]


def clamp_integer(value: Array, out: np.dtype[Any]) -> Array:
    """Clamp to the range of another integer type (still in the source's type)."""
    limits, own = np.iinfo(out), np.iinfo(np.asarray(value).dtype)
    return np.clip(value, max(limits.min, own.min), min(limits.max, own.max))


def float_to_integer(value: Array, rounding: Callable[[Array], Array], out: np.dtype[Any]) -> Array:
    """Round float64 to an integer, saturate to the type; NaN becomes 0."""
    limits = np.iinfo(out)
    whole = np.asarray(rounding(value))
    above, below = whole >= float(limits.max), whole <= float(limits.min)
    inside = np.where(above | below | np.isnan(whole), 0.0, whole)
    # The type's maximum may not be a float64: hence the explicit choice at both ends.
    result = np.where(above, out.type(limits.max), np.where(below, out.type(limits.min), inside.astype(out)))
    return result.astype(out)


def _integer_to_odd(value: Array) -> Array:
    """float64 of an integer, rounded to odd where it has more than 53 bits."""
    value = np.asarray(value)
    if value.dtype.itemsize < 8:
        return value.astype(F8)
    negative = value < 0 if value.dtype.kind == "i" else np.zeros(value.shape, np.bool_)
    magnitude = np.where(negative, np.uint64(0) - value.view(U8), value.view(U8))
    low = magnitude & np.uint64(0x7FF)
    sticky = np.where(low != 0, np.uint64(0x800), np.uint64(0))
    kept = np.where(magnitude >> np.uint64(53) != 0, (magnitude & ~np.uint64(0x7FF)) | sticky, magnitude)
    result = kept.astype(F8)
    return np.where(negative, -result, result)


def integer_to_float(value: Array, name: str, mode: str) -> Array:
    """Bits of a float nearest to an integer, in a rounding mode."""
    if name != "f64":
        return ENCODE[name](_integer_to_odd(value), mode)
    nearest = np.asarray(value).astype(F8)
    exact = [int(v) for v in np.asarray(value).reshape(-1)]
    flat = nearest.reshape(-1).copy()
    for position, integer in enumerate(exact):
        found = int(flat[position])
        if (found > integer and (mode == "rm" or (mode == "rz" and integer > 0))) or (
            found < integer and (mode == "rp" or (mode == "rz" and integer < 0))
        ):
            flat[position] = np.nextafter(flat[position], -np.inf if found > integer else np.inf)
    return flat.reshape(nearest.shape).view(U8)


def float_to_float(
    bits: Array,
    source: str,
    out: str,
    mode: str,
    whole: Callable[[Array], Array] | None,
    flags: frozenset[str],
) -> Array:
    """Bits of one format to bits of another; `whole` rounds to an integer first; flags: ftz, sat, relu, satfinite."""
    bits = np.asarray(bits)
    if "ftz" in flags:
        bits = flush_bits(bits, source)
    value = DECODE[source](bits)
    if whole is not None:
        value = np.asarray(whole(value))
    result = ENCODE[out](value, mode)
    if "ftz" in flags:
        result = flush_bits(result, out)
    if "sat" in flags:
        result = saturate(result, out)
    if "satfinite" in flags and out in _LARGEST:
        result = _saturate_finite(result, value, out)
    if "relu" in flags:
        result = relu(result, out) if out in ("f16", "bf16", "f32") else np.where(value > 0, result, 0).astype(result.dtype)
    return result


_LARGEST = {"f16": np.uint16(0x7BFF), "bf16": np.uint16(0x7F7F)}


def _saturate_finite(result: Array, value: Array, out: str) -> Array:
    infinite = np.isinf(DECODE[out](result))
    sign = np.where(value < 0, np.uint16(0x8000), np.uint16(0))
    return np.where(infinite, _LARGEST[out] | sign, result)


