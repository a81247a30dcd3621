"""Rounding otherwise than to nearest even: conversions to shorter floats, and arithmetic rounded once.

A conversion rounds to nearest even, compares with the original, and moves to the neighbouring number where the mode
asks for it; the bits of neighbours differ by one. Arithmetic is done in f64, rounded to odd, and converted: f64 has
more than twice the bits of f32 and two to spare, so that the second rounding is the only one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...ir.rounding import NEAREST_EVEN
from . import floats, integers
from .emission import Emission
from .text import FALSE, FLOAT_BITS, TRUE, Ssa, Writer, float_constant, integer


def resize(w: Writer, x: Ssa, type: str, mode: str) -> Ssa:
    """Extends exactly, or rounds to a shorter float with infinities by a mode of `ir.rounding.MODES`."""
    near = floats.resize(w, x, type)
    if mode == NEAREST_EVEN or FLOAT_BITS[type] >= FLOAT_BITS[x.type]:
        return near
    pattern, step = floats.bits(w, near), f"i{FLOAT_BITS[type]}"
    size, found = (floats.call(w, "fabs", v) for v in (x, floats.resize(w, near, x.type)))
    too_small, too_large = (floats.compare(w, predicate, found, size) for predicate in ("olt", "ogt"))
    if mode == "to_nearest_away":
        up = integers.bitcast(w, integers.add(w, floats.bits(w, floats.call(w, "fabs", near)), integer(1, step)), type)
        above = floats.binary(w, "fsub", floats.resize(w, up, x.type), size)
        below = floats.binary(w, "fsub", size, found)
        away, back = floats.compare(w, "oeq", above, below), FALSE
    else:
        outward = rounds_away(w, mode, is_negative(w, x))
        away, back = outward, integers.binary(w, "xor", outward, TRUE)
    further = integers.binary(w, "and", too_small, away)
    nearer = integers.binary(w, "and", too_large, back)
    moved = integers.add(w, pattern, integers.resize(w, further, step, signed=False))
    return integers.bitcast(w, integers.sub(w, moved, integers.resize(w, nearer, step, signed=False)), type)


def is_negative(w: Writer, x: Ssa) -> Ssa:
    """Whether the sign bit of a float is set."""
    return integers.compare(w, "slt", floats.bits(w, x), integer(0, f"i{FLOAT_BITS[x.type]}"))


def rounds_away(w: Writer, mode: str, negative: Ssa) -> Ssa:
    """Whether a directed mode rounds magnitudes up."""
    if mode == "toward_zero":
        return FALSE
    return negative if mode == "downward" else integers.binary(w, "xor", negative, TRUE)


def arithmetic(em: Emission, opcode: str, mode: str, *operands: Ssa) -> Ssa:
    """`fadd`, `fsub`, `fmul`, `fdiv` or `fma` on floats shorter than f64, rounded by a mode."""
    w, type = em.w, operands[0].type
    assert type != "double", "the verifier allows f64 to round to nearest even only"
    exact = _EXACT[opcode](w, mode, *(floats.resize(w, x, "double") for x in operands))
    return resize(w, exact, type, mode)


def _sum(w: Writer, mode: str, a: Ssa, b: Ssa) -> Ssa:
    """A zero from two numbers of unlike sign is negative where sums are rounded downward."""
    total = floats.sum_to_odd(w, a, b)
    if mode != "downward":
        return total
    zero = float_constant(0.0, "double")
    negative = integers.binary(w, "or", is_negative(w, a), is_negative(w, b))
    is_zero = floats.compare(w, "oeq", total, zero)
    signed = integers.select(w, negative, float_constant(-0.0, "double"), zero)
    return integers.select(w, is_zero, signed, total)


def _quotient(w: Writer, mode: str, a: Ssa, b: Ssa) -> Ssa:
    """The remainder says on which side of the quotient in f64 the exact one lies."""
    quotient = floats.binary(w, "fdiv", a, b)
    rest = floats.call(w, "fma", floats.negate(w, quotient), b, a)
    side = floats.call(w, "copysign", float_constant(1.0, "double"), b)
    return floats.to_odd(w, quotient, floats.binary(w, "fmul", rest, side))


def _difference(w: Writer, mode: str, a: Ssa, b: Ssa) -> Ssa:
    return _sum(w, mode, a, floats.negate(w, b))


def _product(w: Writer, mode: str, a: Ssa, b: Ssa) -> Ssa:
    """Exact in f64."""
    return floats.binary(w, "fmul", a, b)


def _fused(w: Writer, mode: str, a: Ssa, b: Ssa, c: Ssa) -> Ssa:
    return _sum(w, mode, _product(w, mode, a, b), c)


_EXACT: Mapping[str, Callable[..., Ssa]] = {
    "fadd": _sum,
    "fsub": _difference,
    "fmul": _product,
    "fdiv": _quotient,
    "fma": _fused,
}
