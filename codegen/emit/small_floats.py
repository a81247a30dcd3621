"""Floats of at most 8 bits, and tf32: extension to f32, in which arithmetic on them is done, and rounding by any mode.

Both are integer instructions and one of f32, the same on every chip. The chips' own conversions saturate, where arith
says that what is too large becomes infinite, or NaN in a format without infinities. A format with neither saturates,
and NaN becomes its -0 (ml_dtypes agrees, but for the sign).
"""

from __future__ import annotations

from collections.abc import Mapping

from ...ir.rounding import NEAREST_EVEN
from ...support.dataclasses import dataclass
from . import floats, integers
from .rounding import is_negative, rounds_away
from .text import TRUE, Ssa, Writer, float_constant, integer

_MANTISSA, _BIAS = 23, 127
"""The bits of the mantissa and the bias of f32."""
_INFINITY = 0xFF << _MANTISSA
_HALF_BIAS, _HALF_INFINITY = 15, 0x7C00
"""The bias of the exponent and the infinity of f16."""
_QUIET = 0x7FC00000
_NEAREST = (NEAREST_EVEN, "to_nearest_away")


@dataclass(frozen=True)
class SmallFloat:
    """A format with a sign: `mantissa` bits after the point, the exponent's `bias`, the code of the `largest` finite
    number, what is `beyond` it (infinity, NaN, or the largest number itself), and the code that NaN becomes.
    `unsigned_zero`: the code of -0 is NaN. `width`: bits in all."""

    mantissa: int
    bias: int
    largest: int
    beyond: int
    nan: int
    unsigned_zero: bool = False
    width: int = 8

    @property
    def sign(self) -> int:
        return 1 << (self.width - 1)

    @property
    def sign_shift(self) -> int:
        """From the sign's place to that of f32's."""
        return 32 - self.width

    @property
    def begins_half(self) -> bool:
        """Whether every code is the upper byte of the f16 that equals it."""
        return self.bias == _HALF_BIAS and self.beyond == _HALF_INFINITY >> 8 and self.width == 8

    @property
    def is_finite(self) -> bool:
        """Whether every code is a number."""
        return self.beyond == self.largest


FORMATS: Mapping[str, SmallFloat] = {
    "f8E4M3FN": SmallFloat(3, 7, largest=0x7E, beyond=0x7F, nan=0x7F),
    "f8E5M2": SmallFloat(2, 15, largest=0x7B, beyond=0x7C, nan=0x7E),
    "f8E4M3FNUZ": SmallFloat(3, 8, largest=0x7F, beyond=0x80, nan=0x80, unsigned_zero=True),
    "f8E5M2FNUZ": SmallFloat(2, 16, largest=0x7F, beyond=0x80, nan=0x80, unsigned_zero=True),
    "f8E4M3": SmallFloat(3, 7, largest=0x77, beyond=0x78, nan=0x7C),
    "f8E3M4": SmallFloat(4, 3, largest=0x6F, beyond=0x70, nan=0x78),
    "f8E4M3B11FNUZ": SmallFloat(3, 11, largest=0x7F, beyond=0x80, nan=0x80, unsigned_zero=True),
    "f6E2M3FN": SmallFloat(3, 1, largest=0x1F, beyond=0x1F, nan=0x20, width=6),
    "f6E3M2FN": SmallFloat(2, 3, largest=0x1F, beyond=0x1F, nan=0x20, width=6),
    "f4E2M1FN": SmallFloat(1, 1, largest=0x7, beyond=0x7, nan=0x8, width=4),
}
POWERS = "f8E8M0FNU"
"""The format of powers of two: an exponent of 8 bits, and NaN."""


NAMES = frozenset({*FORMATS, POWERS})


def extend(w: Writer, x: Ssa, name: str) -> Ssa:
    """The f32 that equals an integer, the code of format `name`."""
    wide = integers.resize(w, x, "i32", signed=False)
    return _power(w, wide) if name == POWERS else _extend(w, wide, FORMATS[name])


def round_to(w: Writer, x: Ssa, name: str, mode: str = NEAREST_EVEN) -> Ssa:
    """The code of format `name` to which `mode` rounds an f32; to powers of two there is only the nearest."""
    if name == POWERS:
        return integers.resize(w, _nearest_power(w, x), "i8", signed=False)
    format = FORMATS[name]
    return integers.resize(w, _round(w, x, format, mode), f"i{format.width}", signed=False)


def _word(number: int) -> Ssa:
    return integer(number, "i32")


def _extend(w: Writer, x: Ssa, format: SmallFloat) -> Ssa:
    """The fields stand where f32's do, so that the value is off by the difference of the biases: a power of two, by
    which a product is exact for subnormals, too. What is half of an f16 is one, and chips know what that equals."""
    if format.begins_half:
        half = integers.binary(w, "shl", integers.resize(w, x, "i16", signed=False), integer(8, "i16"))
        return floats.resize(w, integers.bitcast(w, half, "half"), "float")
    code = integers.binary(w, "and", x, _word(format.sign - 1))
    sign = integers.binary(w, "shl", integers.binary(w, "and", x, _word(format.sign)), _word(format.sign_shift))
    fields = integers.bitcast(w, integers.binary(w, "shl", code, _word(_MANTISSA - format.mantissa)), "float")
    magnitude = floats.bits(w, floats.binary(w, "fmul", fields, float_constant(2.0 ** (_BIAS - format.bias), "float")))
    if format.is_finite:
        return integers.bitcast(w, integers.binary(w, "or", magnitude, sign), "float")
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


def _round(w: Writer, x: Ssa, format: SmallFloat, mode: str) -> Ssa:
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
    high = integers.binary(w, "lshr", pattern, _word(format.sign_shift))
    sign = integers.binary(w, "and", high, _word(format.sign))
    if format.unsigned_zero:
        sign = integers.select(w, integers.compare(w, "eq", code, _word(0)), _word(0), sign)
    return integers.binary(w, "or", code, sign)


def _beyond(w: Writer, magnitude: Ssa, format: SmallFloat, mode: str, away: Ssa) -> Ssa:
    """What is too large becomes, which is the largest number where the mode rounds a finite one towards zero."""
    if mode in _NEAREST:
        return _word(format.beyond)
    infinite = integers.compare(w, "uge", magnitude, _word(_INFINITY))
    return integers.select(w, integers.binary(w, "or", away, infinite), _word(format.beyond), _word(format.largest))


def _round_normal(w: Writer, magnitude: Ssa, format: SmallFloat, mode: str, away: Ssa) -> Ssa:
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


def _round_small(w: Writer, magnitude: Ssa, format: SmallFloat, mode: str, away: Ssa) -> Ssa:
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


_TF32_CUT = 13
"""Bits of f32's mantissa that tf32 lacks; its registers hold zeros there."""


def round_to_tf32(w: Writer, x: Ssa, mode: str = NEAREST_EVEN) -> Ssa:
    """The f32 of 10 bits after the point to which `mode` rounds an f32."""
    pattern = floats.bits(w, x)
    ones = (1 << _TF32_CUT) - 1
    kept = _word(-1 - ones)
    if mode == NEAREST_EVEN:
        odd = integers.binary(w, "and", integers.binary(w, "lshr", pattern, _word(_TF32_CUT)), _word(1))
        added = integers.add(w, odd, _word(ones >> 1))
    elif mode in _NEAREST:
        added = _word(1 << (_TF32_CUT - 1))
    else:
        added = integers.select(w, rounds_away(w, mode, is_negative(w, x)), _word(ones), _word(0))
    rounded = integers.binary(w, "and", integers.add(w, pattern, added), kept)
    is_nan = floats.compare(w, "uno", x, x)
    quiet = integers.binary(w, "or", integers.binary(w, "and", pattern, kept), _word(_QUIET - _INFINITY))
    return integers.bitcast(w, integers.select(w, is_nan, quiet, rounded), "float")


def tf32_bits(w: Writer, x: Ssa) -> Ssa:
    """Its pattern of 19 bits."""
    return integers.resize(w, integers.binary(w, "lshr", floats.bits(w, x), _word(_TF32_CUT)), "i19", signed=False)


def tf32_of_bits(w: Writer, pattern: Ssa) -> Ssa:
    """The reverse."""
    wide = integers.resize(w, pattern, "i32", signed=False)
    return integers.bitcast(w, integers.binary(w, "shl", wide, _word(_TF32_CUT)), "float")


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
