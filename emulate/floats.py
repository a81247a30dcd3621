"""Floating-point arithmetic with one rounding, in every format and rounding mode of the machines, on arrays of bits.

Method: operands of at most 32 bits are exact in float64. Sums, products, quotients and roots are formed in float64
and rounded *to odd* (the last bit is set when anything was lost), which keeps the information that a second rounding,
to at most 24 bits, needs. So every narrow operation is: decode, one float64 operation to odd, encode in the mode.
float64 operations themselves use error-free transformations, or exact rational numbers where those could overflow.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import isqrt
from typing import Any

import ml_dtypes
import numpy as np

from .batch_values import Value, choose

F2, F4, F8 = np.dtype("f2"), np.dtype("f4"), np.dtype("f8")
U1, U2, U4, U8, I8 = np.dtype("u1"), np.dtype("u2"), np.dtype("u4"), np.dtype("u8"), np.dtype("i8")
_ONE = np.uint64(1)
_HALFWAY_F32 = np.uint64(0x10000000)
_LOW_F32 = np.uint64(0x1FFFFFFF)


def to_odd(value: Value, error: Value) -> Value:
    """float64 `value` + `error` (what its rounding lost) rounded to odd."""
    value, error = np.asarray(value, F8), np.asarray(error, F8)
    bits = value.view(U8)
    lost = (error != 0) & np.isfinite(error) & np.isfinite(value) & (bits & _ONE == 0)
    if not lost.any():
        return value
    away = (error > 0) == (value > 0)
    moved = choose(away, bits + _ONE, bits - _ONE).view(F8)
    tiny = np.copysign(np.float64(5e-324), error)  # a sum can only vanish exactly; kept for safety of bits - 1
    return choose(lost, choose(value == 0, tiny, moved), value)


def two_sum(a: Value, b: Value) -> tuple[Value, Value]:
    """float64 sum and its exact rounding error."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def two_product(a: Value, b: Value) -> tuple[Value, Value]:
    """float64 product and its exact rounding error (no overflow or underflow)."""
    p = a * b
    a1, a2 = _split(a)
    b1, b2 = _split(b)
    return p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2


def _split(a: Value) -> tuple[Value, Value]:
    c = np.float64(134217729.0) * a
    high = c - (c - a)
    return high, a - high


def odd_add(a: Value, b: Value) -> Value:
    """Sum of float64 values, to odd."""
    return to_odd(*two_sum(a, b))


def odd_fma(a: Value, b: Value, c: Value) -> Value:
    """a*b+c to odd, where a*b is exact in float64."""
    return odd_add(a * b, c)


def odd_divide(a: Value, b: Value) -> Value:
    """a/b to odd for operands of at most 24 significant bits (and float32 exponents)."""
    q = a / b
    p, e = two_product(q, b)
    residual = (a - p) - e
    return to_odd(q, choose(np.isfinite(q), residual * np.sign(b), 0.0))


def odd_sqrt(a: Value) -> Value:
    """Square root to odd for operands of at most 24 significant bits."""
    r = np.sqrt(a)
    p, e = two_product(r, r)
    return to_odd(r, choose(np.isfinite(r), (a - p) - e, 0.0))


def _directed(value: Value, rounded: Value, mode: str) -> Value:
    """Move `rounded` (value rounded to nearest, any dtype) one step where `mode` asks for another neighbour."""
    back = rounded.astype(F8)
    kind = rounded.dtype.type
    match mode:
        case "rz":
            return choose(np.abs(back) > np.abs(value), np.nextafter(rounded, kind(0)), rounded)
        case "rm":
            return choose(back > value, np.nextafter(rounded, kind(-np.inf)), rounded)
        case "rp":
            return choose(back < value, np.nextafter(rounded, kind(np.inf)), rounded)
        case _:
            return rounded


def encode_f32(value: Value, mode: str = "rn") -> Value:
    value = np.asarray(value, F8)
    return _directed(value, value.astype(F4), mode)


def encode_f16(value: Value, mode: str = "rn") -> Value:
    value = np.asarray(value, F8)
    return _directed(value, value.astype(F2), mode)


def encode_bf16(value: Value, mode: str = "rn") -> Value:
    """Bits of bfloat16."""
    value = np.asarray(value, F8)
    truncated = encode_f32(value, "rz")
    sticky = (truncated.astype(F8) != value) & np.isfinite(value)
    bits = truncated.view(U4) | sticky.astype(U4)
    low, high = bits & np.uint32(0xFFFF), bits >> np.uint32(16)
    negative = bits >> np.uint32(31) != 0
    match mode:
        case "rz":
            up = np.zeros(bits.shape, np.bool_)
        case "rm":
            up = (low != 0) & negative
        case "rp":
            up = (low != 0) & ~negative
        case "rna":
            up = low >= 0x8000
        case _:
            up = (low > 0x8000) | ((low == 0x8000) & (high & np.uint32(1) != 0))
    finite = np.isfinite(truncated)
    out = choose(finite, high + up.astype(U4), high)
    return choose(np.isnan(value), np.uint32(0x7FFF), out).astype(U2)


def decode_bf16(bits: Value) -> Value:
    return (np.asarray(bits).astype(U4) << np.uint32(16)).view(F4).astype(F8)


def round_tf32(bits: Value, mode: str) -> Value:
    """float32 bits rounded to 10 bits of mantissa: rna to nearest, halves away from zero; rn to even; rz."""
    bits = np.asarray(bits, U4)
    if mode == "rz":
        out = bits
    elif mode == "rna":
        out = bits + np.uint32(0x1000)
    else:
        out = bits + np.uint32(0xFFF) + ((bits >> np.uint32(13)) & np.uint32(1))
    special = (bits & np.uint32(0x7F800000)) == 0x7F800000
    return choose(special, bits, out & np.uint32(0xFFFFE000))


_FP8: dict[str, tuple[np.dtype[Any], float]] = {
    "e4m3": (np.dtype(ml_dtypes.float8_e4m3fn), 448.0),
    "e5m2": (np.dtype(ml_dtypes.float8_e5m2), 57344.0),
}
_FP8_VALUES = {name: np.arange(256, dtype=U1).view(dtype).astype(F4) for name, (dtype, _) in _FP8.items()}


def encode_fp8(value: Value, name: str) -> Value:
    """Bits of an 8-bit float, saturated to the largest finite value."""
    dtype, largest = _FP8[name]
    value = np.asarray(value, F4)
    clipped = np.clip(value, -largest, largest)
    return choose(np.isnan(value), np.uint8(0x7F), clipped.astype(dtype).view(U1))


def decode_fp8(bits: Value, name: str) -> Value:
    """float32 values of 8-bit floats."""
    return _FP8_VALUES[name].take(np.asarray(bits, U1))


DECODE: dict[str, Callable[[Value], Value]] = {
    "f16": lambda bits: np.asarray(bits).view(F2).astype(F8),
    "bf16": decode_bf16,
    "f32": lambda bits: np.asarray(bits).view(F4).astype(F8),
    "tf32": lambda bits: np.asarray(bits).view(F4).astype(F8),
    "f64": lambda bits: np.asarray(bits).view(F8),
    "e4m3": lambda bits: decode_fp8(bits, "e4m3").astype(F8),
    "e5m2": lambda bits: decode_fp8(bits, "e5m2").astype(F8),
}
"""Bits to float64, exactly."""

ENCODE: dict[str, Callable[[Value, str], Value]] = {
    "f16": lambda value, mode: encode_f16(value, mode).view(U2),
    "bf16": encode_bf16,
    "f32": lambda value, mode: encode_f32(value, mode).view(U4),
    "tf32": lambda value, mode: round_tf32(encode_f32(value, "rz" if mode == "rz" else "rn").view(U4), mode),
    "f64": lambda value, mode: np.asarray(value, F8).view(U8),
    "e4m3": lambda value, mode: encode_fp8(encode_f32(value), "e4m3"),
    "e5m2": lambda value, mode: encode_fp8(encode_f32(value), "e5m2"),
}
"""float64 (exact, or rounded to odd) to bits, in a rounding mode."""

NAN_BITS: dict[str, Any] = {
    "f16": np.uint16(0x7FFF),
    "bf16": np.uint16(0x7FFF),
    "f32": np.uint32(0x7FFFFFFF),
    "f64": np.uint64(0x7FFFFFFFFFFFFFFF),
}
SIGN_BITS: dict[str, Any] = {
    "f16": np.uint16(0x8000),
    "bf16": np.uint16(0x8000),
    "f32": np.uint32(1 << 31),
    "f64": np.uint64(1 << 63),
}
_SMALLEST_NORMAL = 2.0**-126


def flush_bits(bits: Value, name: str) -> Value:
    """Subnormals to zero of the same sign (float32 and float16 modes of PTX)."""
    if name != "f32":
        return bits
    value = np.asarray(bits).view(F4)
    return choose(np.abs(value) < np.float32(_SMALLEST_NORMAL), np.asarray(bits) & SIGN_BITS[name], bits)


def _odd_subtract(a: Value, b: Value) -> Value:
    return odd_add(a, -b)


def _product(a: Value, b: Value) -> Value:
    return a * b


def _odd_reciprocal(a: Value) -> Value:
    return odd_divide(np.ones_like(a), a)


def _reciprocal_root(a: Value) -> Value:
    return 1.0 / np.sqrt(a)


_ODD: dict[str, Callable[..., Value]] = {
    "add": odd_add,
    "sub": _odd_subtract,
    "mul": _product,
    "fma": odd_fma,
    "div": odd_divide,
    "sqrt": odd_sqrt,
    "rcp": _odd_reciprocal,
    "rsqrt": _reciprocal_root,
    "ex2": np.exp2,
    "lg2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
}


def arithmetic(op: str, name: str, mode: str, flags: frozenset[str], *operands: Value) -> Value:
    """One operation on bits of format `name`; flags: ftz, sat, relu."""
    if "ftz" in flags:
        operands = tuple(flush_bits(x, name) for x in operands)
    if name == "f64":
        bits = np.asarray(_F64[op](mode, *(np.asarray(x).view(F8) for x in operands))).view(U8)
    else:
        decoded = (DECODE[name](x) for x in operands)
        bits = ENCODE[name](_ODD[op](*decoded), mode)
    if "ftz" in flags:
        bits = flush_bits(bits, name)
    if "sat" in flags:
        bits = saturate(bits, name)
    return relu(bits, name) if "relu" in flags else bits


_WIDE: Mapping[str, Callable[[Value], Value]] = {
    "ex2": np.exp2,
    "lg2": np.log2,
    "rcp": np.reciprocal,
    "rsqrt": lambda x: 1.0 / np.sqrt(x),
}


def approximate(op: str, x: Value, flush: bool) -> Value:
    """A function of float32, rounded once: hardware is less exact."""
    wide = np.asarray(_flushed(x) if flush else x, np.float64)
    found = _WIDE[op](wide).astype(np.float32)
    return _flushed(found) if flush else found


def _flushed(x: Value) -> Value:
    """Subnormal float32 as zeros of their sign."""
    return choose(np.abs(x) < _TINY, np.copysign(np.float32(0), x), x)


_TINY = np.finfo(np.float32).tiny


def saturate(bits: Value, name: str) -> Value:
    """Clamp to [0, 1]; NaN becomes +0."""
    value = DECODE[name](bits)
    return choose(value > 0, choose(value > 1, ENCODE[name](np.float64(1), "rn"), bits), np.zeros_like(bits))


def relu(bits: Value, name: str) -> Value:
    """Negative values to +0; NaN becomes the canonical NaN."""
    value = DECODE[name](bits)
    return choose(np.isnan(value), NAN_BITS[name], choose(value > 0, bits, np.zeros_like(bits)))


def packed(op: Callable[..., Value], *operands: Value) -> Value:
    """Apply an operation on 16-bit values to both halves of 32-bit operands."""
    low = op(*(np.asarray(x).astype(U2) for x in operands))
    high = op(*((np.asarray(x) >> np.uint32(16)).astype(U2) for x in operands))
    return np.asarray(low).view(U2).astype(U4) | (np.asarray(high).view(U2).astype(U4) << np.uint32(16))


def pick(op: str, name: str, flags: frozenset[str], *operands: Value) -> Value:
    """min or max of bits: -0 < +0; NaN loses, or wins under the flag NaN; flags abs / xorsign as in PTX."""
    if "ftz" in flags:
        operands = tuple(flush_bits(x, name) for x in operands)
    result = np.asarray(operands[0])
    for other in operands[1:]:
        result = _pick_two(op, name, flags, result, np.asarray(other))
    return relu(result, name) if "relu" in flags else result


def _pick_two(op: str, name: str, flags: frozenset[str], a: Value, b: Value) -> Value:
    sign = SIGN_BITS[name]
    crossed = (a ^ b) & sign
    if "abs" in flags:
        a, b = a & ~sign, b & ~sign
    x, y = DECODE[name](a), DECODE[name](b)
    first = (x < y) if op == "min" else (x > y)
    equal = (a | b) if op == "min" else (a & b)
    out = choose(x == y, equal, choose(first, a, b))
    nan_a, nan_b = np.isnan(x), np.isnan(y)
    if nan_a.any() or nan_b.any():
        lost = (nan_a | nan_b) if "NaN" in flags else (nan_a & nan_b)
        out = choose(lost, NAN_BITS[name], choose(nan_a, b, choose(nan_b, a, out)))
    return (out & ~sign) | crossed if "xorsign" in flags else out


# ---- float32 and float16: the common operations without a detour ----------------------------------------------------


def fma_f32(a: Value, b: Value, c: Value) -> Value:
    """float32 a*b+c with one rounding."""
    product = np.multiply(a, b, dtype=F8)
    total = np.asarray(product + c)
    # A second rounding can only go wrong next to a midpoint of float32, or where float32 is subnormal.
    risky = (total.view(U8) & _LOW_F32 == _HALFWAY_F32) | (np.abs(total) < 2.0**-125)
    if risky.any():
        total = to_odd(*two_sum(product, np.asarray(c, F8)))
    return total.astype(F4)


def fma_f16(a: Value, b: Value, c: Value) -> Value:
    """float16 a*b+c with one rounding."""
    return odd_fma(a.astype(F8), b.astype(F8), c.astype(F8)).astype(F2)


# ---- float64 --------------------------------------------------------------------------------------------------------


def fma_f64(a: Value, b: Value, c: Value) -> Value:
    """float64 a*b+c with one rounding (Boldo and Melquiond: error-free parts, the small ones summed to odd)."""
    a, b, c = np.broadcast_arrays(np.asarray(a, F8), np.asarray(b, F8), np.asarray(c, F8))
    plain = a * b + c
    exponents = _exponent(a) + _exponent(b)
    special = ~np.isfinite(a) | ~np.isfinite(b) | ~np.isfinite(c) | (a == 0) | (b == 0)
    safe = (exponents > -900) & (exponents < 900) & (np.abs(_exponent(a)) < 900) & (np.abs(_exponent(b)) < 900)
    safe &= (c == 0) | (np.abs(_exponent(c)) < 900)
    high, low = two_product(a, b)
    t, t_low = two_sum(c, low)
    v, v_low = two_sum(high, t)
    out = choose(safe & ~special, v + odd_add(t_low, v_low), plain)
    for position in np.argwhere(~safe & ~special):
        exact = Fraction(float(a[*position])) * Fraction(float(b[*position])) + Fraction(float(c[*position]))
        out[*position] = round_fraction(exact, "rn")
    return out


def _exponent(a: Value) -> Value:
    return np.frexp(choose(np.isfinite(a), a, 1.0))[1].astype(np.int64)


def round_fraction(exact: Fraction, mode: str) -> float:
    """A rational number to float64 in a rounding mode (not for infinities)."""
    try:
        nearest = float(exact)  # correctly rounded by the language
    except OverflowError:
        nearest = float("inf") if exact > 0 else float("-inf")
    infinite = nearest in (float("inf"), float("-inf"))
    above = nearest > 0 if infinite else Fraction(nearest) > exact
    below = nearest < 0 if infinite else Fraction(nearest) < exact
    if (mode == "rm" and above) or (mode == "rz" and above and exact > 0):
        return float(np.nextafter(nearest, -np.inf))
    if (mode == "rp" and below) or (mode == "rz" and below and exact < 0):
        return float(np.nextafter(nearest, np.inf))
    return nearest


def _root_fraction(exact: Fraction) -> Fraction:
    """A rational within 2^-200 (relative) below the root, which decides every rounding of a float64 argument."""
    shift = 1 << 1400
    scaled = exact.numerator * shift * shift // exact.denominator
    root = isqrt(scaled)
    sticky = (
        Fraction(1, shift * shift)
        if root * root * exact.denominator != exact.numerator * shift * shift
        else Fraction(0)
    )
    return Fraction(root, shift) + sticky


def _f64_directed(plain: Callable[..., Value], exact: Callable[..., Fraction], zero_sign: bool) -> Callable[..., Value]:
    def apply(mode: str, *operands: Value) -> Value:
        out = plain(*operands)
        if mode == "rn":
            return out
        shaped = np.broadcast_arrays(*operands)
        result = np.array(np.broadcast_to(out, shaped[0].shape), F8)
        for position in np.ndindex(result.shape):
            values = [float(x[position]) for x in shaped]
            if not all(np.isfinite(values)) or np.isnan(result[position]):
                continue
            try:
                fraction = exact(*(Fraction(v) for v in values))
            except (ZeroDivisionError, ValueError):
                continue
            if fraction:
                result[position] = round_fraction(fraction, mode)
            elif zero_sign and mode == "rm" and not all(v == 0 for v in values):
                result[position] = -0.0
        return result

    return apply


def _fused(a: Any, b: Any, c: Any) -> Any:
    return a * b + c


def _quotient(a: Any, b: Any) -> Any:
    return a / b


def _reciprocal(a: Any) -> Any:
    return 1 / a


def _nearest_only(plain: Callable[[Value], Value]) -> Callable[..., Value]:
    def apply(mode: str, operand: Value) -> Value:
        return plain(operand)

    return apply


_F64: dict[str, Callable[..., Value]] = {
    "add": _f64_directed(operator.add, operator.add, True),
    "sub": _f64_directed(operator.sub, operator.sub, True),
    "mul": _f64_directed(operator.mul, operator.mul, False),
    "fma": _f64_directed(fma_f64, _fused, True),
    "div": _f64_directed(_quotient, _quotient, False),
    "rcp": _f64_directed(_reciprocal, _reciprocal, False),
    "sqrt": _f64_directed(np.sqrt, _root_fraction, False),
    "rsqrt": _nearest_only(_reciprocal_root),
    "ex2": _nearest_only(np.exp2),
    "lg2": _nearest_only(np.log2),
}


# ---- comparisons ----------------------------------------------------------------------------------------------------

_ORDERED: dict[str, Callable[[Value, Value], Value]] = {
    "eq": np.equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def compare(op: str, a: Value, b: Value) -> Value:
    """A comparison of floats (any dtype) that needs attention to NaN: ne, num, nan, and the unordered forms."""
    unordered = np.isnan(a) | np.isnan(b)
    if op == "num":
        return ~unordered
    if op == "nan":
        return unordered
    if op == "ne":
        return (a != b) & ~unordered
    if op == "neu":
        return np.asarray(a != b)
    return _ORDERED[op.removesuffix("u")](a, b) | unordered
