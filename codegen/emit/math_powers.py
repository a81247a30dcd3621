"""Integer powers: of floats through our expansion, of integers by squaring."""

from __future__ import annotations

from ...ir.dialects import math
from ..mathematics import BINARY_FUNCTIONS
from . import floats, integers
from .arith_integers import min_max
from .emission import Emission
from .emit_rules import SCALAR
from .expansion import LlvmArithmetic
from .text import FLOAT_BITS, INTEGER_BITS, Ssa, Writer, integer
from .widened import on_floats


@on_floats(math.FPowIOp)
def _float_power(em: Emission, op: math.FPowIOp, x: Ssa, n: Ssa) -> Ssa:
    wide = floats.in_single(em, x)
    exponent = _exponent(em.w, n, FLOAT_BITS[wide.type])
    power = BINARY_FUNCTIONS["fpowi"].build(LlvmArithmetic(em, wide.type), wide, exponent)
    return floats.resize(em.w, power, x.type)


def _exponent(w: Writer, n: Ssa, bits: int) -> Ssa:
    """`n` as an integer of `bits`: beyond them, where every base but 1 and -1 overflows or underflows, the largest of
    its parity."""
    if INTEGER_BITS[n.type] > bits:
        limit = (1 << (bits - 1)) - 2
        within = min_max(w, "smin", min_max(w, "smax", n, integer(-limit - 2, n.type)), integer(limit, n.type))
        n = integers.binary(w, "or", within, integers.binary(w, "and", n, integer(1, n.type)))
    return integers.resize(w, n, f"i{bits}", signed=True)


@SCALAR.of(math.IPowIOp)
def _integer_power(em: Emission, op: math.IPowIOp, base: Ssa, exponent: Ssa) -> Ssa:
    """Short integers in 32 bits, of which the low ones are the result."""
    w = em.w
    type = base.type if INTEGER_BITS[base.type] >= 32 else "i32"
    x, n = (integers.resize(w, v, type, signed=True) for v in (base, exponent))
    power = _unrolled(w, x, n.number) if n.number is not None else _by_squaring(w, x, n)
    return integers.resize(w, power, base.type, signed=False)


def _inverse(w: Writer, x: Ssa, odd: Ssa) -> Ssa:
    """A negative power: 0 but of 1 and -1, whose powers are themselves or 1."""
    one = integer(1, x.type)
    alternating = integers.select(w, odd, x, one)
    of_unit = integers.select(w, integers.compare(w, "eq", x, integer(-1, x.type)), alternating, integer(0, x.type))
    return integers.select(w, integers.compare(w, "eq", x, one), one, of_unit)


def _unrolled(w: Writer, x: Ssa, n: int) -> Ssa:
    if n < 0:
        return _inverse(w, x, integer(n & 1, "i1"))
    power = integer(1, x.type)
    while n:
        if n & 1:
            power = integers.mul(w, power, x)
        x, n = integers.mul(w, x, x) if n > 1 else x, n >> 1
    return power


def _by_squaring(w: Writer, x: Ssa, n: Ssa) -> Ssa:
    one, zero = integer(1, n.type), integer(0, n.type)
    odd = integers.compare(w, "ne", integers.binary(w, "and", n, one), zero)
    without = integers.select(w, integers.compare(w, "eq", n, zero), one, _inverse(w, x, odd))
    before, body, done = w.block, w.label(), w.label()
    w.branch(integers.compare(w, "sgt", n, zero), body, done)
    with w.scope():
        w.start(body)
        power, square, rest = (w.open_phi(x.type) for _ in range(3))
        bit = integers.compare(w, "ne", integers.binary(w, "and", rest.value, one), zero)
        product = integers.select(w, bit, integers.mul(w, power.value, square.value), power.value)
        squared = integers.mul(w, square.value, square.value)
        left = integers.binary(w, "lshr", rest.value, one)
        w.branch(integers.compare(w, "ne", left, zero), body, done)
        w.close(power, [(one, before), (product, body)])
        w.close(square, [(x, before), (squared, body)])
        w.close(rest, [(n, before), (left, body)])
    w.start(done)
    return w.phi([(without, before), (product, body)])
