"""Element types on numpy: storage types and the scalar operations that numpy lacks or rounds differently.

Signless integers are stored as numpy's signed type of the next power-of-two width, i1 as bool, index as int64; of
widths that numpy lacks (i4, i24) the number is stored, so `wrapped` follows arithmetic and `low_bits` precedes unsigned
readings. Integer arithmetic wraps; `unsigned` gives the other reading of the same bits.
"""

from __future__ import annotations

import functools
import math
import struct
from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from .types import TF32, BitsType, FloatType, IndexType, IntegerType, Type, bit_width

Array = NDArray[Any]

_ML_DTYPES = {
    "bf16": "bfloat16",
    "f8E4M3FN": "float8_e4m3fn",
    "f8E5M2": "float8_e5m2",
    "f8E4M3FNUZ": "float8_e4m3fnuz",
    "f8E5M2FNUZ": "float8_e5m2fnuz",
    "f8E8M0FNU": "float8_e8m0fnu",
    "f8E4M3": "float8_e4m3",
    "f8E3M4": "float8_e3m4",
    "f8E4M3B11FNUZ": "float8_e4m3b11fnuz",
    "f6E2M3FN": "float6_e2m3fn",
    "f6E3M2FN": "float6_e3m2fn",
    "f4E2M1FN": "float4_e2m1fn",
}
_NUMPY_FLOATS: dict[str, np.dtype[Any]] = {
    "f64": np.dtype(np.float64),
    "f32": np.dtype(np.float32),
    "tf32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
}
_INTEGER_WIDTHS = (8, 16, 32, 64)


def dtype_of(type: Type) -> np.dtype[Any]:
    """The numpy type that stores one element of a scalar type."""
    match type:
        case IndexType():
            return np.dtype(np.int64)
        case IntegerType(width=1):
            return np.dtype(np.bool_)
        case IntegerType(width=width, signedness=sign):
            stored = next((w for w in _INTEGER_WIDTHS if w >= width), None)
            assert stored is not None, f"no storage for {type}"
            return np.dtype(f"{'u' if sign == 'u' else ''}int{stored}")
        case BitsType():
            return np.dtype(f"int{type.width}")
        case FloatType(name=name) if name in _NUMPY_FLOATS:
            return _NUMPY_FLOATS[name]
        case FloatType(name=name):
            import ml_dtypes

            stored_float: np.dtype[Any] = np.dtype(getattr(ml_dtypes, _ML_DTYPES[name]))
            return stored_float
        case _:
            raise AssertionError(f"{type} is not a scalar type")


def host_dtype(type: Type) -> np.dtype[Any]:
    """The numpy type of one element in a caller's array: integers of 2 and 4 bits have types of ml_dtypes there."""
    if isinstance(type, IntegerType) and type.width in (2, 4):
        import ml_dtypes

        unsigned = "u" if type.signedness == "u" else ""
        found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, f"{unsigned}int{type.width}"))
        return found
    return dtype_of(type)


def _spare_bits(type: Type) -> int:
    """Bits of an integer's storage that its width does not use; i1, a bool, has none."""
    if not isinstance(type, IntegerType) or type.width == 1 or type.width in _INTEGER_WIDTHS:
        return 0
    return dtype_of(type).itemsize * 8 - type.width


def wrapped(x: Array, type: Type) -> Array:
    """Numbers stored as `type` modulo its range."""
    spare = _spare_bits(type)
    return (x << spare) >> spare if spare else x


def low_bits(x: Array, type: Type) -> Array:
    """Numbers of `type` without their sign: what `unsigned` and numpy's unsigned arithmetic are to read."""
    return x & ((1 << bit_width(type)) - 1) if _spare_bits(type) else x


def ends(type: FloatType) -> tuple[float, float]:
    """The least and the greatest number of a type: its infinities, where it has them."""
    dtype = dtype_of(type)
    beyond = _as_stored(math.inf, dtype)
    if math.isinf(beyond):
        return -beyond, beyond
    import ml_dtypes

    finite = cast("Callable[[np.dtype[Any]], Any]", ml_dtypes.finfo)(dtype)  # untyped in ml_dtypes
    return float(finite.min), float(finite.max)


def has_nan(type: FloatType) -> bool:
    return math.isnan(_as_stored(math.nan, dtype_of(type)))


def zero(type: FloatType) -> float | None:
    """The zero that a sum leaves as it is: negative where the type has that. None: it has no zero."""
    stored = _as_stored(-0.0, dtype_of(type))
    return None if math.isnan(stored) else stored


def _as_stored(x: float, dtype: np.dtype[Any]) -> float:
    with np.errstate(all="ignore"):
        return float(np.array(x).astype(dtype))


_LEAST_E8M0 = 2.0**-127
_PACKED = {"f32": struct.Struct("<f"), "f16": struct.Struct("<e"), "bf16": struct.Struct("<f")}
"""Python's own rounding, to nearest even, of numbers that none of these types has to round to infinity: programs have
many constants, and an array of numpy for each takes fifty times as long. Those of bf16 that it has exactly are f32's
with low bits of 0."""
_BITS = struct.Struct("<I")
_LARGE = 2.0**15


def round_to(value: float, type: FloatType) -> float:
    """The nearest value of the type, so that a literal means what a register can hold.

    Of `f8E8M0FNU`, which has neither zero nor anything smaller, the least number is the nearest of those, as upstream
    reads literals; conversions (`to_float`) make NaN of zero.
    """
    if type.name == "f64":
        return value
    packed = _PACKED.get(type.name)
    if packed is not None and (abs(value) < _LARGE or math.isinf(value)):
        (rounded,) = packed.unpack(packed.pack(value))
        if type.name != "bf16" or (rounded == value and not _BITS.unpack(packed.pack(value))[0] & 0xFFFF):
            return float(rounded)
    if type.name == "f8E8M0FNU" and 0 <= value < _LEAST_E8M0:
        return _LEAST_E8M0
    with np.errstate(all="ignore"):
        return float(to_float(np.asarray(value, np.float64), type))


_CUT_FROM_F32 = {"tf32": 13, "bf16": 16}
"""Low bits that these types lack; through f32, the payload of a NaN stays."""


def float_bits(value: float, type: FloatType) -> int:
    """The bit pattern of a value of the type."""
    cut = _CUT_FROM_F32.get(type.name, 0)
    dtype = np.dtype(np.float32) if cut else dtype_of(type)
    with np.errstate(all="ignore"):
        return int(np.asarray(value, np.float64).astype(dtype).view(f"u{dtype.itemsize}")) >> cut


def float_from_bits(bits: int, type: FloatType) -> float:
    """The value of a bit pattern."""
    cut = _CUT_FROM_F32.get(type.name, 0)
    dtype = np.dtype(np.float32) if cut else dtype_of(type)
    with np.errstate(all="ignore"):
        return float(np.asarray(bits << cut, f"u{dtype.itemsize}").view(dtype))


def to_bits(x: Array, type: Type) -> Array:
    """The bits of every element as bools along a further last axis, the lowest first."""
    width, cut = bit_width(type), _CUT_FROM_F32["tf32"] if type == TF32 else 0
    places = np.arange(cut, cut + width, dtype=np.uint64)
    stored = unsigned(np.asarray(x, order="C")).astype(np.uint64)
    return np.asarray((stored[..., None] >> places) & 1, np.bool_)


def from_bits(bits: Array, type: Type) -> Array:
    """The elements of `type` whose bits these are, along the last axis; a multiple of the type's width."""
    width, cut = bit_width(type), _CUT_FROM_F32["tf32"] if type == TF32 else 0
    rows = bits.reshape((*bits.shape[:-1], -1, width)).astype(np.uint64)
    number = (rows << np.arange(cut, cut + width, dtype=np.uint64)).sum(axis=-1, dtype=np.uint64)
    dtype = dtype_of(type)
    if dtype == np.bool_:
        return np.asarray(number.astype(dtype))
    return wrapped(np.asarray(number.astype(f"u{dtype.itemsize}").view(dtype)), type)


def spacing(x: Array, type: FloatType) -> Array:
    """The unit in the last place of each float64 number, as a number of the type: float64, NaN where there is none."""
    info = _finfo(dtype_of(type))
    _, exponent = np.frexp(x)
    least = np.where(x == 0, int(info.minexp), np.maximum(exponent - 1, int(info.minexp)))
    return np.where(np.isfinite(x), np.ldexp(1.0, least - int(info.nmant)), np.nan)


def largest(type: FloatType) -> float:
    """The largest finite number of the type."""
    return float(_finfo(dtype_of(type)).max)


def least_normal(type: FloatType) -> float:
    """The least positive number of the type with a full significand."""
    return float(_finfo(dtype_of(type)).smallest_normal)


@functools.cache
def _finfo(dtype: np.dtype[Any]) -> Any:
    import ml_dtypes

    return ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]


def unsigned(x: Array) -> Array:
    """The same bits read as unsigned integers."""
    return x.astype(np.uint8) if x.dtype == np.bool_ else x.view(f"u{x.dtype.itemsize}")


def signed_bits(x: Array) -> Array:
    """Integers for arithmetic: i1 becomes 0 or -1, as MLIR reads a signed i1."""
    return -x.astype(np.int8) if x.dtype == np.bool_ else x


def fma(a: Array, b: Array, c: Array) -> Array:
    """`a * b + c` rounded once, for every float type."""
    if a.dtype == np.float64:
        return fma_f64(a, b, c)
    with np.errstate(over="ignore", invalid="ignore"):
        product = a.astype(np.float64) * b.astype(np.float64)
    return convert_float(round_to_odd_sum(product, c.astype(np.float64)), a.dtype)


def widened(x: Array) -> Array:
    """Floats of 8 bits and less as float32, in which arithmetic on them is done; others as they are."""
    return x.astype(np.float32) if x.dtype.itemsize == 1 and x.dtype.kind not in "biu" else x


def computed(x: Array, type: Type) -> Array:
    """Results in float64 rounded to a float type; those of 8 bits and less by way of float32."""
    with np.errstate(over="ignore"):
        return to_float(x.astype(np.float32) if bit_width(type) <= 8 else x, type)


def fma_as(type: Type, *operands: Array) -> Array:
    """`fma` of a float type's elements: of 8 bits and less, and tf32, in float32, then rounded to the type."""
    return to_float(fma(*map(widened, operands)), type)


def round_to_odd_sum(product: Array, addend: Array) -> Array:
    """`product + addend` in float64 rounded to odd, so that a second rounding to a shorter type is exact.

    Product and addend come from types of at most 24 bits of significand, so the product is exact in float64.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        total = product + addend
        virtual = total - product
        error = (product - (total - virtual)) + (addend - virtual)
    bits = np.asarray(total).view(np.int64)
    inexact = np.isfinite(total) & (error != 0) & ((bits & 1) == 0)
    away = np.signbit(error) == np.signbit(total)
    odd = np.where(inexact, np.where(away, bits + 1, bits - 1), bits)
    return odd.view(np.float64)


def fma_f64(a: Array, b: Array, c: Array) -> Array:
    """float64 `a * b + c` rounded once, through exact rational arithmetic where finite."""
    from fractions import Fraction

    def one(x: float, y: float, z: float) -> float:
        if not (np.isfinite(x) and np.isfinite(y) and np.isfinite(z)):
            with np.errstate(all="ignore"):
                return float(np.float64(x) * np.float64(y) + np.float64(z))
        exact = Fraction(x) * Fraction(y) + Fraction(z)
        if exact == 0:
            return float(np.float64(x) * np.float64(y) + np.float64(z))
        try:
            return float(exact)
        except OverflowError:
            return float("inf") if exact > 0 else float("-inf")

    shape = np.broadcast(a, b, c)
    flat = [one(float(x), float(y), float(z)) for x, y, z in shape]
    return np.array(flat, np.float64).reshape(shape.shape)


def maximumf(a: Array, b: Array) -> Array:
    """IEEE 754-2019 maximum: NaN propagates, +0 is greater than -0."""
    return np.where(_prefer_first(a, b, np.greater, 0), a, b)


def minimumf(a: Array, b: Array) -> Array:
    """IEEE 754-2019 minimum: NaN propagates, -0 is less than +0."""
    return np.where(_prefer_first(a, b, np.less, 1), a, b)


def _prefer_first(a: Array, b: Array, better: np.ufunc, sign_of_winner: int) -> Array:
    zero_tie = (a == b) & (np.signbit(a) == bool(sign_of_winner))
    chosen: Array = np.isnan(a) | (~np.isnan(b) & (better(a, b) | zero_tie))
    return chosen


def maxnumf(a: Array, b: Array) -> Array:
    """The larger operand, or the one that is not NaN."""
    return np.where(np.isnan(b) | (a > b) | ((a == b) & ~np.signbit(a)), a, b)


def minnumf(a: Array, b: Array) -> Array:
    """The smaller operand, or the one that is not NaN."""
    return np.where(np.isnan(b) | (a < b) | ((a == b) & np.signbit(a)), a, b)


def divide_truncating(a: Array, b: Array) -> Array:
    """Integer division towards zero; by zero gives zero (undefined in MLIR, never compared)."""
    safe = np.where(b == 0, 1, b)
    with np.errstate(over="ignore"):
        quotient = a // safe
        remainder = a - quotient * safe
    correction = (remainder != 0) & ((a < 0) != (safe < 0))
    return np.where(b == 0, 0, quotient + correction).astype(a.dtype)


def remainder_truncating(a: Array, b: Array) -> Array:
    """The remainder that belongs to `divide_truncating`: its sign is the dividend's."""
    with np.errstate(over="ignore"):
        return np.asarray(a - divide_truncating(a, b) * b).astype(a.dtype)


def maximum_signed(a: Array, b: Array) -> Array:
    """The operand that is larger as a signed number."""
    return np.where(signed_bits(a) > signed_bits(b), a, b)


def minimum_signed(a: Array, b: Array) -> Array:
    """The operand that is smaller as a signed number."""
    return np.where(signed_bits(a) < signed_bits(b), a, b)


def divide_floor(a: Array, b: Array) -> Array:
    """Integer division towards minus infinity; by zero (undefined in MLIR, never compared) it is division by one."""
    return np.asarray(a // np.where(b == 0, 1, b))


def remainder_floor(a: Array, b: Array) -> Array:
    """The remainder that belongs to `divide_floor`: its sign is the divisor's."""
    return np.asarray(a % np.where(b == 0, 1, b))


def divide_ceil(a: Array, b: Array) -> Array:
    """Integer division towards infinity; by zero as in `divide_floor`."""
    return np.asarray(divide_floor(a, b) + (remainder_floor(a, b) != 0))


def convert_float(x: Array, dtype: np.dtype[Any]) -> Array:
    """Rounds to nearest even into `dtype`; overflow becomes infinity, in a type without one NaN, in a type without NaN
    the largest number. NaN becomes -0 there, whatever its sign, which operations do not define."""
    with np.errstate(over="ignore", invalid="ignore"):
        # ml_dtypes goes from float64 and integers through float32: rounding that step to odd makes the second one the
        # only one.
        through_f32 = x.dtype.kind in "iu" or x.dtype == np.float64
        if not through_f32 or dtype in _NUMPY_FLOATS.values() or dtype.kind in "biu":
            return _rounded(x, dtype)
        return _rounded(_round_to_odd_f32(_exact_f64(x)), dtype)


@functools.cache
def _lacks_nan(dtype: np.dtype[Any]) -> bool:
    """Kept: numpy composes a type's name anew each time it is asked for it."""
    return dtype.name in ("float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn")


def _rounded(x: Array, dtype: np.dtype[Any]) -> Array:
    x = widened(x)  # ml_dtypes lacks some conversions between its types
    if _lacks_nan(dtype) and not _lacks_nan(x.dtype):
        x = np.where(np.isnan(x), x.dtype.type(-0.0), x)
    return np.asarray(x.astype(dtype))


def to_float(x: Array, type: Type) -> Array:
    """Rounds to nearest even into a float type; tf32 is stored as f32 whose last bits are zero."""
    return tf32_by(x, to_even) if type == TF32 else convert_float(x, dtype_of(type))


def to_type(x: Array, type: Type) -> Array:
    """Floats rounded, integers wrapped into a scalar type."""
    return wrapped(to_float(x, type), type)


Away = Callable[[Array, Array, Array], Array]
"""Whether magnitudes round away from zero: (negative, dropped part, last bit that stays) -> mask. The dropped part
counts halves of that bit: 0, below 1, 1, above 1."""


def to_even(negative: Array, dropped: Array, last: Array) -> Array:
    """Rounds to the nearest number, of two the one whose last bit is zero."""
    return np.asarray((dropped > 1) | ((dropped == 1) & (last == 1)))


def tf32_by(x: Array, away: Away) -> Array:
    """Numbers rounded to 10 bits after the point, in float32."""
    with np.errstate(over="ignore", invalid="ignore"):
        exact = x if x.dtype.itemsize < 4 or x.dtype == np.float32 else _round_to_odd_f32(_exact_f64(x))
        pattern = np.asarray(exact.astype(np.float32)).view(np.uint32)
    cut = _CUT_FROM_F32["tf32"]
    magnitude, rest = pattern & 0x7FFFFFFF, pattern & ((1 << cut) - 1)
    up = away((pattern >> 31) == 1, rest / float(1 << (cut - 1)), pattern >> cut & 1) & (rest != 0)
    kept = (pattern & ~np.uint32((1 << cut) - 1)) + (up.astype(np.uint32) << np.uint32(cut))
    quiet = (pattern & ~np.uint32((1 << cut) - 1)) | np.uint32(0x400000)
    return np.asarray(np.where(magnitude > 0x7F800000, quiet, kept).astype(np.uint32)).view(np.float32)


def _exact_f64(x: Array) -> Array:
    """float64 of the numbers; of integers beyond 2^53 a neighbour that rounds to any shorter type as they do."""
    if x.dtype.kind not in "iu" or x.dtype.itemsize < 8:
        return np.asarray(x.astype(np.float64))
    odd = (x >> 12 << 12) | ((x & 0xFFF != 0).astype(x.dtype) << 12)
    small = np.abs(x.astype(np.float64)) < 2.0**53
    return np.where(small, x, odd).astype(np.float64)


def _round_to_odd_f32(x: Array) -> Array:
    """float64 cut to float32 with the last bit set where anything was lost."""
    near = np.asarray(x.astype(np.float32))
    wide = near.astype(np.float64)
    lost = (wide != x) & ~np.isnan(x)
    bits = near.view(np.int32) - (np.abs(wide) > np.abs(x))
    return np.where(lost, bits | 1, bits).astype(np.int32).view(np.float32)


def float_to_integer(x: Array, dtype: np.dtype[Any]) -> Array:
    """Truncates towards zero; out of range saturates and NaN gives zero (poison in MLIR, never compared)."""
    info = np.iinfo(dtype)
    wide = np.nan_to_num(x.astype(np.float64), nan=0.0, posinf=float(info.max), neginf=float(info.min))
    clipped = np.clip(np.trunc(wide), float(info.min), float(info.max))
    top = clipped >= float(info.max)
    return np.where(top, info.max, np.where(top, 0, clipped).astype(dtype)).astype(dtype)
