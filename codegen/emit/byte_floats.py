"""Floats of 8 bits, which have no arithmetic: exact extension to f32, and rounding from f32 by any mode.

Both are integer instructions and one of f32, the same on every chip. The chips' own conversions saturate, where arith
says that what is too large becomes infinite, or NaN in a format without infinities (ml_dtypes agrees).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...ir.rounding import NEAREST_EVEN
from . import floats, integers
from .rounding import is_negative, rounds_away
from .text import TRUE, Ssa, Writer, float_constant, integer

_MANTISSA, _BIAS = 23, 127
"""Of f32."""
_INFINITY = 0xFF << _MANTISSA
_QUIET = 0x7FC00000
_NEAREST = (NEAREST_EVEN, "to_nearest_away")


@dataclass(frozen=True)
class ByteFloat:
    """A format with a sign: `mantissa` bits after the point, the exponent's `bias`, the code of the `largest` finite
    number, what is `beyond` it (infinity or NaN), and the code of NaN. `unsigned_zero`: the code of -0 is NaN."""

    mantissa: int
    bias: int
    largest: int
    beyond: int
    nan: int
    unsigned_zero: bool = False


FORMATS: Mapping[str, ByteFloat] = {
    "f8E4M3FN": ByteFloat(3, 7, largest=0x7E, beyond=0x7F, nan=0x7F),
    "f8E5M2": ByteFloat(2, 15, largest=0x7B, beyond=0x7C, nan=0x7E),
    "f8E4M3FNUZ": ByteFloat(3, 8, largest=0x7F, beyond=0x80, nan=0x80, unsigned_zero=True),
    "f8E5M2FNUZ": ByteFloat(2, 16, largest=0x7F, beyond=0x80, nan=0x80, unsigned_zero=True),
}
POWERS = "f8E8M0FNU"
"""The format of powers of two: an exponent of 8 bits, and NaN."""


def extend(w: Writer, x: Ssa, name: str) -> Ssa:
    """The f32 that equals an i8 of format `name`."""
    wide = integers.resize(w, x, "i32", signed=False)
    return _power(w, wide) if name == POWERS else _extend(w, wide, FORMATS[name])


def round_to(w: Writer, x: Ssa, name: str, mode: str = NEAREST_EVEN) -> Ssa:
    """The i8 of format `name` to which `mode` rounds an f32; to powers of two there is only the nearest."""
    code = _nearest_power(w, x) if name == POWERS else _round(w, x, FORMATS[name], mode)
    return integers.resize(w, code, "i8", signed=False)


def _word(number: int) -> Ssa:
    return integer(number, "i32")


def _extend(w: Writer, x: Ssa, format: ByteFloat) -> Ssa:
    """The fields stand where f32's do, so that the value is off by the difference of the biases: a power of two, by
    which a product is exact for subnormals, too."""
    code = integers.binary(w, "and", x, _word(0x7F))
    sign = integers.binary(w, "shl", integers.binary(w, "and", x, _word(0x80)), _word(24))
    fields = integers.bitcast(w, integers.binary(w, "shl", code, _word(_MANTISSA - format.mantissa)), "float")
    magnitude = floats.bits(w, floats.binary(w, "fmul", fields, float_constant(2.0 ** (_BIAS - format.bias), "float")))
    if format.unsigned_zero:
        is_nan = integers.compare(w, "eq", x, _word(format.nan))
    elif format.beyond == format.nan:
        is_nan = integers.compare(w, "eq", code, _word(format.nan))
    else:
        infinite = integers.compare(w, "eq", code, _word(format.beyond))
        magnitude = integers.select(w, infinite, _word(_INFINITY), magnitude)
        is_nan = integers.compare(w, "ugt", code, _word(format.beyond))
    magnitude = integers.select(w, is_nan, _word(_QUIET), magnitude)
    return integers.bitcast(w, integers.binary(w, "or", magnitude, sign), "float")


def _round(w: Writer, x: Ssa, format: ByteFloat, mode: str) -> Ssa:
    pattern = floats.bits(w, x)
    magnitude = integers.binary(w, "and", pattern, _word(0x7FFFFFFF))
    away = TRUE if mode in _NEAREST else rounds_away(w, mode, is_negative(w, x))
    smallest = _BIAS - format.bias + 1
    """f32's exponent field of the format's smallest normal number."""
    normal = integers.compare(w, "uge", magnitude, _word(smallest << _MANTISSA))
    small = _round_small(w, magnitude, format, mode, away)
    code = integers.select(w, normal, _round_normal(w, magnitude, format, mode, away), small)
    too_large = integers.compare(w, "ugt", code, _word(format.largest))
    code = integers.select(w, too_large, _beyond(w, magnitude, format, mode, away), code)
    is_nan = integers.compare(w, "ugt", magnitude, _word(_INFINITY))
    code = integers.select(w, is_nan, _word(format.nan), code)
    sign = integers.binary(w, "and", integers.binary(w, "lshr", pattern, _word(24)), _word(0x80))
    if format.unsigned_zero:
        sign = integers.select(w, integers.compare(w, "eq", code, _word(0)), _word(0), sign)
    return integers.binary(w, "or", code, sign)


def _beyond(w: Writer, magnitude: Ssa, format: ByteFloat, mode: str, away: Ssa) -> Ssa:
    """What is too large becomes, which is the largest number where the mode rounds a finite one towards zero."""
    if mode in _NEAREST:
        return _word(format.beyond)
    infinite = integers.compare(w, "uge", magnitude, _word(_INFINITY))
    return integers.select(w, integers.binary(w, "or", away, infinite), _word(format.beyond), _word(format.largest))


def _round_normal(w: Writer, magnitude: Ssa, format: ByteFloat, mode: str, away: Ssa) -> Ssa:
    """The bias changed and the mantissa shortened; a carry raises the exponent."""
    dropped = _MANTISSA - format.mantissa
    rebiased = integers.sub(w, magnitude, _word((_BIAS - format.bias) << _MANTISSA))
    if mode == NEAREST_EVEN:
        odd = integers.binary(w, "and", integers.binary(w, "lshr", rebiased, _word(dropped)), _word(1))
        rounded = integers.add(w, integers.add(w, rebiased, _word((1 << (dropped - 1)) - 1)), odd)
    else:
        added = 1 << (dropped - 1) if mode in _NEAREST else (1 << dropped) - 1
        rounded = integers.add(w, rebiased, integers.select(w, away, _word(added), _word(0)))
    return integers.binary(w, "lshr", rounded, _word(dropped))


def _round_small(w: Writer, magnitude: Ssa, format: ByteFloat, mode: str, away: Ssa) -> Ssa:
    """Added to a number whose last place is the format's smallest step, which rounds to nearest even; the steps are
    then its end. Other modes count whole steps and look at the rest."""
    step = 1 - format.bias - format.mantissa
    x = integers.bitcast(w, magnitude, "float")
    if mode == NEAREST_EVEN:
        large = float_constant(2.0 ** (step + _MANTISSA), "float")
        total = floats.binary(w, "fadd", x, large)
        return integers.sub(w, floats.bits(w, total), _word((_BIAS + step + _MANTISSA) << _MANTISSA))
    steps = floats.binary(w, "fmul", x, float_constant(2.0**-step, "float"))
    # Where the number is not small, its steps may not fit an integer: the result is not used there.
    whole = w.pure(f"freeze {w.convert('fptoui', steps, 'i32')}", "i32")
    rest = floats.binary(w, "fsub", steps, w.convert("uitofp", whole, "float"))
    up = ("oge", 0.5) if mode in _NEAREST else ("ogt", 0.0)
    further = integers.binary(w, "and", away, floats.compare(w, up[0], rest, float_constant(up[1], "float")))
    return integers.add(w, whole, integers.resize(w, further, "i32", signed=False))


def _power(w: Writer, x: Ssa) -> Ssa:
    shifted = integers.binary(w, "shl", x, _word(_MANTISSA))
    smallest = integers.select(w, integers.compare(w, "eq", x, _word(0)), _word(1 << (_MANTISSA - 1)), shifted)
    is_nan = integers.compare(w, "eq", x, _word(0xFF))
    return integers.bitcast(w, integers.select(w, is_nan, _word(_QUIET), smallest), "float")


def _nearest_power(w: Writer, x: Ssa) -> Ssa:
    """What ml_dtypes gives: ties go up, and so does everything between the two smallest powers; zero, negative numbers
    and what is too large are NaN."""
    pattern = floats.bits(w, x)
    half = _word(1 << (_MANTISSA - 1))
    normal = integers.binary(w, "lshr", integers.add(w, pattern, half), _word(_MANTISSA))
    small = integers.resize(w, integers.compare(w, "ugt", pattern, half), "i32", signed=False)
    is_small = integers.compare(w, "ult", pattern, _word(1 << _MANTISSA))
    code = integers.select(w, is_small, small, normal)
    # Unsigned, zero becomes the largest number of all, and everything negative lies above infinity.
    outside = integers.compare(w, "uge", integers.sub(w, pattern, _word(1)), _word(_INFINITY - 1))
    return integers.select(w, outside, _word(0xFF), code)
