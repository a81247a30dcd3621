"""Conversions between numbers of all formats, on arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..batch_values import Value, choose
from ..floats import DECODE, ENCODE, F8, U8, flush_bits, relu, saturate


def clamp_integer(value: Value, out: np.dtype[Any]) -> Value:
    """Clamp to the range of another integer type (still in the source's type)."""
    limits, own = np.iinfo(out), np.iinfo(np.asarray(value).dtype)
    return np.clip(value, max(limits.min, own.min), min(limits.max, own.max))


def float_to_integer(value: Value, rounding: Callable[[Value], Value], out: np.dtype[Any]) -> Value:
    """Round float64 to an integer, saturate to the type; NaN becomes 0."""
    limits = np.iinfo(out)
    whole = np.asarray(rounding(value))
    above, below = whole >= float(limits.max), whole <= float(limits.min)
    inside = choose(above | below | np.isnan(whole), 0.0, whole)
    # The type's maximum may not be a float64: hence the explicit choice at both ends.
    result = choose(above, out.type(limits.max), choose(below, out.type(limits.min), inside.astype(out)))
    return result.astype(out)


def _integer_to_odd(value: Value) -> Value:
    """float64 of an integer, rounded to odd where it has more than 53 bits."""
    value = np.asarray(value)
    if value.dtype.itemsize < 8:
        return value.astype(F8)
    negative = value < 0 if value.dtype.kind == "i" else np.zeros(value.shape, np.bool_)
    magnitude = choose(negative, np.uint64(0) - value.view(U8), value.view(U8))
    low = magnitude & np.uint64(0x7FF)
    sticky = choose(low != 0, np.uint64(0x800), np.uint64(0))
    kept = choose(magnitude >> np.uint64(53) != 0, (magnitude & ~np.uint64(0x7FF)) | sticky, magnitude)
    result = kept.astype(F8)
    return choose(negative, -result, result)


def integer_to_float(value: Value, name: str, mode: str) -> Value:
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
    bits: Value,
    source: str,
    out: str,
    mode: str,
    whole: Callable[[Value], Value] | None,
    flags: frozenset[str],
) -> Value:
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
        result = (
            relu(result, out) if out in ("f16", "bf16", "f32") else choose(value > 0, result, 0).astype(result.dtype)
        )
    return result


_LARGEST = {"f16": np.uint16(0x7BFF), "bf16": np.uint16(0x7F7F)}


def _saturate_finite(result: Value, value: Value, out: str) -> Value:
    infinite = np.isinf(DECODE[out](result))
    sign = choose(value < 0, np.uint16(0x8000), np.uint16(0))
    return choose(infinite, _LARGEST[out] | sign, result)
