"""Conversions of arith, one element at a time."""

from __future__ import annotations

from collections.abc import Mapping

from ...ir.core import Operation
from ...ir.dialects import arith
from ...ir.dialects.elementwise import rounding_mode
from ...ir.rounding import NEAREST_EVEN
from ...ir.types import element_type
from . import floats, integers, rounding, small_floats
from .emission import Emission
from .emit_rules import SCALAR
from .text import INTEGER_BITS, Ssa, Writer, integer
from .widened import extended, rounded

_SIGNED: Mapping[type[Operation], bool] = {
    arith.ExtSIOp: True,
    arith.ExtUIOp: False,
    arith.TruncIOp: False,
    arith.IndexCastOp: True,
    arith.IndexCastUIOp: False,
}


@SCALAR.of(*_SIGNED)
def _resize(em: Emission, op: arith.Cast, a: Ssa) -> Ssa:
    return integers.resize(em.w, a, em.type(element_type(op.out.type)), signed=_SIGNED[type(op)])


@SCALAR.of(arith.ExtFOp, arith.TruncFOp)
def _resize_float(em: Emission, op: arith.Cast, a: Ssa) -> Ssa:
    return _to_float_type(em, op, extended(em.w, a, op.in_), rounding_mode(op))


def _to_float_type(em: Emission, op: arith.Cast, a: Ssa, mode: str = NEAREST_EVEN) -> Ssa:
    """A float with arithmetic rounded, or extended, to the operation's result."""
    name = str(element_type(op.out.type))
    if name not in small_floats.NAMES and name != "tf32":
        return rounding.resize(em.w, a, em.type(element_type(op.out.type)), mode)
    return rounded(em.w, _single_to_odd(em.w, a) if a.type == "double" else a, op.out, mode)


@SCALAR.of(arith.SIToFPOp, arith.UIToFPOp)
def _to_float(em: Emission, op: arith.Cast, a: Ssa) -> Ssa:
    signed = isinstance(op, arith.SIToFPOp)
    type = em.type(element_type(op.out.type))
    if str(element_type(op.out.type)) in (*small_floats.NAMES, "tf32"):
        return _to_float_type(em, op, _exact_double(em.w, a, signed))
    if type == "bfloat" and not em.chip.supports("bf16.native_arithmetic"):
        return floats.resize(em.w, _single_to_odd(em.w, _exact_double(em.w, a, signed)), type)
    return em.w.convert("sitofp" if signed else "uitofp", a, type)


def _exact_double(w: Writer, a: Ssa, signed: bool) -> Ssa:
    """An integer as f64 that rounds to bf16 as the integer itself would.

    Up to 32 bits are exact. Of 64 bits the low 11 are replaced by one that says whether any was set, unless the
    number is small enough to be exact: rounded to odd, which no later rounding to 8 bits notices.
    """
    opcode = "sitofp" if signed else "uitofp"
    if INTEGER_BITS[a.type] <= 32:
        return w.convert(opcode, a, "double")
    a = integers.resize(w, a, "i64", signed=signed)
    low = integers.binary(w, "and", a, integer(0x7FF))
    sticky = integers.select(w, integers.compare(w, "ne", low, integer(0)), integer(0x800), integer(0))
    short = integers.binary(w, "or", integers.binary(w, "and", a, integer(-0x800)), sticky)
    biased = integers.add(w, a, integer(1 << 52)) if signed else a
    small = integers.compare(w, "ult", biased, integer(1 << 53))
    return w.convert(opcode, integers.select(w, small, a, short), "double")


def _single_to_odd(w: Writer, x: Ssa) -> Ssa:
    """An f64 in f32, rounded to odd: where bits are lost the result is the odd one of its two neighbours.

    A plain conversion to bf16 would not do: LLVM joins it with that from the integer, and rounds to f32 and again.
    """
    near = floats.resize(w, x, "float")
    back = floats.resize(w, near, "double")
    pattern, one = floats.bits(w, near), integer(1, "i32")
    even = integers.compare(w, "eq", integers.binary(w, "and", pattern, one), integer(0, "i32"))
    moves = integers.binary(w, "and", even, floats.compare(w, "one", back, x))
    beyond = floats.compare(w, "ogt", floats.call(w, "fabs", back), floats.call(w, "fabs", x))
    step = integers.select(w, beyond, integer(-1, "i32"), one)
    odd = integers.select(w, moves, integers.add(w, pattern, step), pattern)
    return integers.bitcast(w, odd, "float")


@SCALAR.of(arith.FPToSIOp, arith.FPToUIOp)
def _to_integer(em: Emission, op: arith.Cast, a: Ssa) -> Ssa:
    opcode = "fptosi" if isinstance(op, arith.FPToSIOp) else "fptoui"
    type = em.type(element_type(op.out.type))
    # LLVM does not know every conversion to less than 16 bits: they are a wider integer's lowest.
    wide = em.w.convert(opcode, extended(em.w, a, op.in_), "i32" if INTEGER_BITS[type] < 16 else _even(type))
    return integers.resize(em.w, wide, type, signed=False)


def _even(type: str) -> str:
    """The machine's integer that holds those of `type`."""
    return f"i{1 << (INTEGER_BITS[type] - 1).bit_length()}"
