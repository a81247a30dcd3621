"""Arithmetic that numpy does not have under one name: minima, conversions, division steps, bit fields."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from ..batch_values import Value, choose
from ..floats import encode_bf16, encode_f16, fma_f16, fma_f32, fma_f64

U1, U2, U4, U8 = np.dtype("u1"), np.dtype("u2"), np.dtype("u4"), np.dtype("u8")
I4, I8 = np.dtype("i4"), np.dtype("i8")
F2, F4, F8 = np.dtype("f2"), np.dtype("f4"), np.dtype("f8")
_TINY = np.float32(2.0**-126)

__all__ = ["fma_f16", "fma_f32", "fma_f64"]


def unsigned(dtype: Any) -> Any:
    """The unsigned integer type of the same size."""
    return np.dtype(f"u{np.dtype(dtype).itemsize}")


# ---- minima and maxima ----------------------------------------------------------------------------------------------


def _ordered_zero(result: Value, a: Value, b: Value, *, low: bool) -> Value:
    """Where the result is a zero: -0 is less than +0, whatever the order of the operands."""
    if np.all(result):
        return result
    bits = unsigned(result.dtype)
    x, y = np.asarray(a).view(bits), np.asarray(b).view(bits)
    chosen = ((x | y) if low else (x & y)).view(result.dtype)
    return choose((a == 0) & (b == 0), chosen, result)


def min_number(a: Value, b: Value) -> Value:
    """The lesser; a NaN loses against a number."""
    return _ordered_zero(np.fmin(a, b), a, b, low=True)


def max_number(a: Value, b: Value) -> Value:
    """The greater; a NaN loses against a number."""
    return _ordered_zero(np.fmax(a, b), a, b, low=False)


def minimum(a: Value, b: Value) -> Value:
    """The lesser; NaN if one is."""
    return _ordered_zero(np.minimum(a, b), a, b, low=True)


def maximum(a: Value, b: Value) -> Value:
    """The greater; NaN if one is."""
    return _ordered_zero(np.maximum(a, b), a, b, low=False)


def median(a: Value, b: Value, c: Value) -> Value:
    """The middle one of three numbers."""
    return np.maximum(np.minimum(a, b), np.minimum(np.maximum(a, b), c))


def median_float(a: Value, b: Value, c: Value) -> Value:
    """The middle one of three; the least if one is NaN."""
    middle = max_number(min_number(a, b), min_number(max_number(a, b), c))
    lost = np.isnan(a) | np.isnan(b) | np.isnan(c)
    return choose(lost, min_number(min_number(a, b), c), middle)


def clamp_unit(a: Value) -> Value:
    """To [0, 1]; NaN to +0."""
    one, zero = a.dtype.type(1), a.dtype.type(0)
    return choose(a > 0, choose(a < 1, a, one), zero)


# ---- conversions ----------------------------------------------------------------------------------------------------


def to_integer(a: Value, dtype: Any) -> Value:
    """Truncated, saturated; NaN to 0."""
    info = np.iinfo(dtype)
    wide = np.asarray(np.trunc(a), F8)
    inside = np.clip(choose(np.isnan(wide), 0.0, wide), float(info.min), float(info.max))
    return inside.astype(dtype)


def fraction(a: Value) -> Value:
    """a - floor(a), less than 1."""
    below = np.nextafter(a.dtype.type(1), a.dtype.type(0))
    return np.minimum(a - np.floor(a), below)


def mantissa(a: Value) -> Value:
    """In [0.5, 1), with the sign; infinities and NaN as they are."""
    return np.frexp(a)[0]


def exponent(a: Value) -> Value:
    """The int32 exponent that goes with `mantissa`; 0 for infinities and NaN."""
    return choose(np.isfinite(a), np.frexp(a)[1], 0).astype(I4)


def scale(a: Value, power: Value) -> Value:
    """a * 2**power, rounded once."""
    steps = np.clip(power, -5000, 5000).astype(I4)
    return np.ldexp(a, steps).astype(a.dtype)


def flushed(a: Value) -> Value:
    """float32 subnormals to zero of the same sign."""
    return choose(np.abs(a) < _TINY, np.copysign(np.float32(0), a), a)


def exp2_f32(a: Value) -> Value:
    return flushed(np.exp2(flushed(a).astype(F8)).astype(F4))


def log2_f32(a: Value) -> Value:
    return np.log2(flushed(a).astype(F8)).astype(F4)


def reciprocal_f32(a: Value) -> Value:
    return flushed(np.float32(1) / flushed(a))


def reciprocal_root_f32(a: Value) -> Value:
    return (1.0 / np.sqrt(flushed(a).astype(F8))).astype(F4)


def root_f32(a: Value) -> Value:
    return np.sqrt(flushed(a))


def sine(a: Value) -> Value:
    """The sine of so many whole turns."""
    wide = np.asarray(a, F8)
    return np.sin((wide - np.trunc(wide)) * (2 * np.pi)).astype(a.dtype)


def cosine(a: Value) -> Value:
    """The cosine of so many whole turns."""
    wide = np.asarray(a, F8)
    return np.cos((wide - np.trunc(wide)) * (2 * np.pi)).astype(a.dtype)


def f16_toward_zero(a: Value) -> Value:
    """Bits of float16, rounded toward zero; finite values stay finite."""
    return encode_f16(np.asarray(a, F8), "rz").view(U2)


def bf16_bits(a: Value) -> Value:
    """Bits of bfloat16, rounded to nearest even."""
    return encode_bf16(np.asarray(a, F8))


def bf16_value(bits: Value) -> Value:
    """float32 of bfloat16 bits."""
    return (bits.astype(U4) << np.uint32(16)).view(F4)


_FP8_TYPES: dict[tuple[str, bool], np.dtype[Any]] = {
    ("fp8", True): np.dtype(ml_dtypes.float8_e4m3fnuz),
    ("bf8", True): np.dtype(ml_dtypes.float8_e5m2fnuz),
    ("fp8", False): np.dtype(ml_dtypes.float8_e4m3fn),
    ("bf8", False): np.dtype(ml_dtypes.float8_e5m2),
}
_FP8_VALUES = {key: np.arange(256, dtype=U1).view(kind).astype(F4) for key, kind in _FP8_TYPES.items()}
_FP8_LARGEST = {key: float(np.nanmax(choose(np.isinf(v), np.nan, v))) for key, v in _FP8_VALUES.items()}


def fp8_value(bits: Value, name: str, unsigned_zero: bool) -> Value:
    """float32 of 8-bit floats; gfx942 has the variants without negative zero, later chips those of the OCP."""
    return _FP8_VALUES[name, unsigned_zero].take(np.asarray(bits, U1))


_FP4_TYPE = np.dtype(ml_dtypes.float4_e2m1fn)
_FP4_VALUES = np.arange(16, dtype=U1).view(_FP4_TYPE).astype(F4)


def fp4_value(bits: Value) -> Value:
    """float32 of floats of four bits (OCP microscaling formats, E2M1)."""
    return _FP4_VALUES.take(np.asarray(bits, U1))


_FP6_VALUES = {
    name: np.arange(64, dtype=U1).view(kind).astype(F4)
    for name, kind in (("fp6", np.dtype(ml_dtypes.float6_e2m3fn)), ("bf6", np.dtype(ml_dtypes.float6_e3m2fn)))
}


def fp6_value(bits: Value, name: str) -> Value:
    """float32 of floats of six bits (OCP microscaling formats, E2M3 and E3M2)."""
    return _FP6_VALUES[name].take(np.asarray(bits, U1))


def e8m0_value(codes: Value) -> Value:
    """float64 of scales of eight bits: powers of two, 255 no number (OCP microscaling formats)."""
    known = np.asarray(codes, np.int64)
    return np.where(known == 255, np.nan, np.ldexp(1.0, known - 127))


def fp4_bits(a: Value) -> Value:
    """Bits of a float of four bits, saturated, as uint32."""
    clipped = np.clip(np.asarray(a, F4), -6.0, 6.0)
    return clipped.astype(_FP4_TYPE).view(U1).astype(U4) & np.uint32(15)


def scale_power(bits: Value) -> Value:
    """float64 of the power of two that the exponent of a float32 says."""
    return np.ldexp(1.0, ((np.asarray(bits, U4) >> np.uint32(23)) & np.uint32(255)).astype(np.int64) - 127)


def fp8_bits(a: Value, name: str, unsigned_zero: bool) -> Value:
    """Bits of an 8-bit float, saturated, as uint32."""
    key = (name, unsigned_zero)
    largest = _FP8_LARGEST[key]
    clipped = np.clip(np.asarray(a, F4), -largest, largest)
    return clipped.astype(_FP8_TYPES[key]).view(U1).astype(U4)


_FP8_FRACTION: dict[str, int] = {"fp8": 3, "bf8": 2}
_FP8_LEAST_POWER: dict[str, int] = {"fp8": -6, "bf8": -14}
"""The least power of two of normal numbers; one less without a negative zero."""


def fp8_by_seed(a: Value, seed: Value, name: str, unsigned_zero: bool) -> Value:
    """Bits of an 8-bit float, as uint32. A number is counted in units of 2^-23 of its power of two, or of the least
    normal number's where it is smaller; the highest bits of the seed, as many as it has beyond the format's, are added
    to the count, which is cut to whole last digits of the format."""
    fraction, least = _FP8_FRACTION[name], _FP8_LEAST_POWER[name] - int(unsigned_zero)
    cut = 23 - fraction
    size = np.abs(np.where(np.isfinite(a), a, 0).astype(np.float64))
    power = np.maximum(np.frexp(size)[1] - 1, least)
    count = np.floor(np.ldexp(size, 23 - power)).astype(np.int64)
    added = np.asarray(seed, U4).astype(np.int64) >> (32 - cut)
    whole = np.ldexp(((count + added) >> cut).astype(np.float64), power - fraction)
    found = np.where(np.isfinite(a), np.copysign(whole, a), a)
    return fp8_bits(found, name, unsigned_zero)


def pack_halves(low: Value, high: Value) -> Value:
    """Two 16-bit values in a word."""
    return np.asarray(low).view(U2).astype(U4) | (np.asarray(high).view(U2).astype(U4) << np.uint32(16))


def class_of(a: Value, wanted: Value) -> Value:
    """Whether the class of a float is in a set of bits: NaN (signalling, quiet), -inf .. -0, +0 .. +inf."""
    dtype = a.dtype
    bits = np.asarray(a).view(unsigned(dtype))
    negative = np.signbit(a)
    tiny = np.finfo(dtype).smallest_normal
    size = np.abs(a)
    step = np.select([np.isinf(a), size >= tiny, size > 0], [0, 1, 2], 3)
    position = choose(negative, 2 + step, 9 - step)
    quiet = (bits >> bits.dtype.type(np.finfo(dtype).nmant - 1)) & bits.dtype.type(1)
    position = choose(np.isnan(a), quiet.astype(np.int64), position)
    return (np.asarray(wanted).astype(np.int64) >> position) & 1 != 0


# ---- steps of a division --------------------------------------------------------------------------------------------

_BIAS = {4: 127, 8: 1023, 2: 15}
_STEP = {4: 64, 8: 128}
_NEAR_LARGEST = {4: 96, 8: 768}
_NUMERATOR_TINY = {4: 23, 8: 53}
_UNDERFLOW = {2: -32, 4: -150, 8: -1075}


def _biased(a: Value) -> Value:
    """The exponent field."""
    info = np.finfo(a.dtype)
    bits = np.asarray(a).view(unsigned(a.dtype))
    return ((bits >> bits.dtype.type(info.nmant)) & bits.dtype.type(2**info.nexp - 1)).astype(np.int64)


def _subnormal(a: Value) -> Value:
    return (_biased(a) == 0) & (a != 0)


def _division_cases(denominator: Value, numerator: Value) -> list[Value]:
    size = denominator.dtype.itemsize
    inverse, quotient = _subnormal(denominator.dtype.type(1) / denominator), _tiny_quotient(numerator, denominator)
    return [
        (numerator == 0) | (denominator == 0),
        _biased(numerator) - _biased(denominator) >= _NEAR_LARGEST[size],
        _subnormal(denominator),
        inverse & quotient,
        inverse,
        quotient,
        _biased(numerator) <= _NUMERATOR_TINY[size],
    ]


def _tiny_quotient(numerator: Value, denominator: Value) -> Value:
    size = denominator.dtype.itemsize
    wide = np.longdouble if size == 8 else F8
    quotient = np.abs(np.asarray(numerator, wide) / np.asarray(denominator, wide))
    return (quotient < np.finfo(denominator.dtype).smallest_normal) & (quotient != 0)


def division_scale(a: Value, denominator: Value, numerator: Value) -> Value:
    """The operand `a` (one of the other two) scaled so that the Newton steps of a division stay in range.

    Source: the pseudo-code of V_DIV_SCALE in AMD's instruction set manuals, except where both 1/d and n/d are
    subnormal: scaling the denominator up, as printed, would overflow; it must go down.
    """
    step = _STEP[a.dtype.itemsize]
    is_denominator, is_numerator = a == denominator, a == numerator
    powers = [
        np.zeros_like(step),
        choose(is_denominator, step, 0),
        step,
        choose(is_denominator, -step, 0),
        -step,
        choose(is_numerator, step, 0),
        step,
    ]
    cases = _division_cases(denominator, numerator)
    shape = np.broadcast_shapes(np.shape(a), np.shape(cases[0]))
    power = np.select(
        [np.broadcast_to(c, shape) for c in cases], [np.broadcast_to(np.asarray(p), shape) for p in powers], 0
    )
    return choose(cases[0], a.dtype.type(np.nan), scale(a, power))


def division_flag(denominator: Value, numerator: Value) -> Value:
    """Whether the quotient has to be scaled back by `division_finish`."""
    nothing, large, small, both, inverse, quotient, _ = _division_cases(denominator, numerator)
    return ~nothing & (large | (~small & (both | (~inverse & quotient))))


def division_finish(a: Value, b: Value, c: Value, scaled: Value) -> Value:
    """a*b+c, times the power of two that undoes the scaling."""
    total = fma_f32(a, b, c) if a.dtype == F4 else fma_f64(a, b, c)
    step = _STEP[a.dtype.itemsize]
    power = choose(_biased(c) > _BIAS[a.dtype.itemsize], step, -step)
    return choose(scaled, scale(total, power), total)


def division_fixup(quotient: Value, denominator: Value, numerator: Value) -> Value:
    """The quotient, with the special cases of a division in place; a NaN among ordinary operands means overflow."""
    dtype = quotient.dtype
    negative = np.signbit(denominator) ^ np.signbit(numerator)
    sign = choose(negative, dtype.type(-1), dtype.type(1))
    infinite_d, infinite_n = np.isinf(denominator), np.isinf(numerator)
    zero_d, zero_n = denominator == 0, numerator == 0
    size = dtype.itemsize
    vanishing = _biased(numerator) - _biased(denominator) < _UNDERFLOW[size]
    out = choose(np.isnan(quotient), sign * dtype.type(np.inf), np.copysign(quotient, sign))
    out = choose(vanishing & ~_subnormal(denominator), sign * dtype.type(0), out)
    out = choose(infinite_d | zero_n, sign * dtype.type(0), out)
    out = choose(zero_d | infinite_n, sign * dtype.type(np.inf), out)
    out = choose((zero_d & zero_n) | (infinite_d & infinite_n), dtype.type(np.nan), out)
    out = choose(np.isnan(denominator), denominator, out)
    return choose(np.isnan(numerator), numerator, out)


# ---- integers -------------------------------------------------------------------------------------------------------


def field_unsigned(a: Value, offset: Value, width: Value) -> Value:
    """`width` bits from `offset` (both modulo 32)."""
    mask = (np.uint32(1) << (width & np.uint32(31))) - np.uint32(1)
    return (a >> (offset & np.uint32(31))) & mask


def field_signed(a: Value, offset: Value, width: Value) -> Value:
    """`width` bits from `offset`, sign-extended; int32."""
    width = width & np.uint32(31)
    value = field_unsigned(a, offset, width)
    up = np.uint32(32) - np.maximum(width, np.uint32(1))
    return choose(width == 0, np.int32(0), (value << up).view(I4) >> up.astype(I4))


def permute_bytes(high: Value, low: Value, selector: Value) -> Value:
    """Each byte of the selector picks one of the eight bytes of high:low, a sign, 0x00 or 0xff."""
    wide = (np.asarray(high, U8) << np.uint64(32)) | low
    out: Value = np.uint32(0)
    for position in range(4):
        pick = (selector >> np.uint32(8 * position)) & np.uint32(0xFF)
        byte = (wide >> (np.minimum(pick, np.uint32(7)) * np.uint32(8)).astype(U8)).astype(U4) & np.uint32(0xFF)
        sign_bit = np.select([pick == 8, pick == 9, pick == 10], [np.uint64(15), np.uint64(31), np.uint64(47)], 63)
        sign = choose((wide >> sign_bit.astype(U8)) & np.uint64(1) != 0, np.uint32(0xFF), np.uint32(0))
        constant = choose(pick >= 13, np.uint32(0xFF), np.uint32(0))
        chosen = choose(pick < 8, byte, choose(pick < 12, sign, constant))
        out = out | (chosen << np.uint32(8 * position))
    return out


def multiply_high(a: Value, b: Value) -> Value:
    """The upper 32 bits of a product of 32-bit integers."""
    wide = np.dtype("i8") if a.dtype.kind == "i" else U8
    return (np.multiply(a, b, dtype=wide) >> wide.type(32)).astype(a.dtype)


def multiply_wide(a: Value, b: Value) -> Value:
    """The 64-bit product of 32-bit integers."""
    return np.multiply(a, b, dtype=np.dtype("i8") if a.dtype.kind == "i" else U8)


def low24(a: Value) -> Value:
    """The low 24 bits, as a number."""
    if a.dtype.kind == "i":
        return (a << np.int32(8)) >> np.int32(8)
    return a & np.uint32(0xFFFFFF)


def leading_zeros(a: Value) -> Value:
    """The number of leading zeros of 32 bits; all ones for zero."""
    found = 32 - np.frexp(np.asarray(a, F8))[1]
    return choose(a == 0, 0xFFFFFFFF, found).astype(U4)


def leading_zeros_wide(a: Value) -> Value:
    """The number of leading zeros of 64 bits; all ones for zero."""
    high = (a >> np.uint64(32)).astype(U4)
    low = leading_zeros(a.astype(U4))
    return choose(high != 0, leading_zeros(high), choose(low == 0xFFFFFFFF, low, low + np.uint32(32)))


def leading_signs(a: Value) -> Value:
    """Bits from the top that equal the sign; all ones where all do."""
    return leading_zeros(choose(a < 0, ~a, a).view(U4))


def trailing_zeros(a: Value) -> Value:
    """The number of trailing zeros of an unsigned integer; all ones for zero."""
    below = np.bitwise_count((a & (~a + a.dtype.type(1))) - a.dtype.type(1)).astype(U4)
    return choose(a == 0, np.uint32(0xFFFFFFFF), below)


def reverse_bits(a: Value) -> Value:
    """Bits of 32 or 64 in reverse order."""
    data = np.asarray(a)
    size = data.dtype.itemsize
    table = _REVERSED.take(np.ascontiguousarray(data).reshape(-1).view(U1)).reshape(-1, size)[:, ::-1]
    return np.ascontiguousarray(table).view(data.dtype).reshape(data.shape)


_REVERSED = np.packbits(np.unpackbits(np.arange(256, dtype=U1)).reshape(-1, 8)[:, ::-1], axis=-1).reshape(-1)


def saturating_add(a: Value, b: Value) -> Value:
    """The sum, clamped to the type."""
    return _clamped(np.asarray(a, I8) + np.asarray(b, I8), a.dtype)


def saturating_sub(a: Value, b: Value) -> Value:
    """The difference, clamped to the type."""
    return _clamped(np.asarray(a, I8) - np.asarray(b, I8), a.dtype)


def _clamped(wide: Value, dtype: Any) -> Value:
    info = np.iinfo(dtype)
    return np.clip(wide, info.min, info.max).astype(dtype)


def bit_table(a: Value, b: Value, c: Value, table: int) -> Value:
    """Any function of three bits: bit 4a+2b+c of the table."""
    out: Value = np.uint32(0)
    for row in range(8):
        if table >> row & 1:
            out = out | ((a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c))
    return out
