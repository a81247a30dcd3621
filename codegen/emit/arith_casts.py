"""Conversions of arith, one element at a time."""

from __future__ import annotations

from collections.abc import Mapping

from ...ir.core import Operation
from ...ir.dialects import arith
from ...ir.dialects.elementwise import rounding_mode
from ...ir.types import element_type
from . import byte_floats, floats, integers, rounding
from .emission import Emission
from .emit_rules import SCALAR
from .text import INTEGER_BITS, Ssa, Writer, integer

_SIGNED: Mapping[type[Operation], bool] = {
    arith.ExtSIOp: True,
    arith.ExtUIOp: False,
    arith.TruncIOp: False,
    arith.IndexCastOp: True,
    arith.IndexCastUIOp: False,
}

_BYTE_FLOATS = frozenset({*byte_floats.FORMATS, byte_floats.POWERS})


@SCALAR.of(*_SIGNED)
def _resize(em: Emission, op: arith.Cast, a: Ssa) -> Ssa:
    return integers.resize(em.w, a, em.type(element_type(op.out.type)), signed=_SIGNED[type(op)])


@SCALAR.of(arith.ExtFOp, arith.TruncFOp)
def _resize_float(em: Emission, op: arith.Cast, a: Ssa) -> Ssa:
    before, after = (str(element_type(value.type)) for value in (op.operands[0], op.out))
    if before in _BYTE_FLOATS:
        a = byte_floats.extend(em.w, a, before)
    mode = rounding_mode(op)
    if after not in _BYTE_FLOATS:
        return rounding.resize(em.w, a, em.type(element_type(op.out.type)), mode)
    single = _single_to_odd(em.w, a) if a.type == "double" else floats.resize(em.w, a, "float")
    return byte_floats.round_to(em.w, single, after, mode)


@SCALAR.of(arith.SIToFPOp, arith.UIToFPOp)
def _to_float(em: Emission, op: arith.Cast, a: Ssa) -> Ssa:
    floats.check_arithmetic(em, op)
    signed = isinstance(op, arith.SIToFPOp)
    type = em.type(element_type(op.out.type))
    if type == "bfloat" and not em.chip.supports("bf16.native_arithmetic"):
        return floats.resize(em.w, _single_to_odd(em.w, _exact_double(em.w, a, signed)), type)
    return em.w.convert("sitofp" if signed else "uitofp", a, type)


def _exact_double(w: Writer, a: Ssa, signed: bool) -> Ssa:
    """An integer as f64 that rounds to bf16 as the integer itself would.

    Up to 32 bits are exact. Of 64 bits the low 11 are replaced by one that says whether any was set, unless the
    number is small enough to be exact: rounded to odd, which no later rounding to 8 bits notices.
    """
    opcode = "sitofp" if signed else "uitofp"
    if INTEGER_BITS[a.type] < 64:
        return w.convert(opcode, a, "double")
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
    floats.check_arithmetic(em, op)
    opcode = "fptosi" if isinstance(op, arith.FPToSIOp) else "fptoui"
    type = em.type(element_type(op.out.type))
    # A bit is a narrow integer's lowest: LLVM does not know every conversion to i1.
    wide = em.w.convert(opcode, a, "i32" if type == "i1" else type)
    return integers.resize(em.w, wide, type, signed=False)
