"""Integer operations of arith, one element at a time.

i1 is arithmetic modulo 2 whose signed reading is 0 and -1, which LLVM's i1 means too.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...ir.core import Operation
from ...ir.dialects import arith, arith_extended
from ...ir.integer_ranges import range_of
from . import integers
from .emission import Emission
from .emit_rules import EMIT, SCALAR
from .text import INTEGER_BITS, Ssa, Writer, integer
from .words import select_words

_OPCODES: Mapping[type[Operation], str] = {
    arith.AddIOp: "add",
    arith.SubIOp: "sub",
    arith.MulIOp: "mul",
    arith.AndIOp: "and",
    arith.OrIOp: "or",
    arith.XOrIOp: "xor",
    arith.ShLIOp: "shl",
    arith.ShRUIOp: "lshr",
    arith.ShRSIOp: "ashr",
}
_QUOTIENTS: Mapping[type[Operation], str] = {
    arith.DivSIOp: "sdiv",
    arith.RemSIOp: "srem",
    arith.DivUIOp: "udiv",
    arith.RemUIOp: "urem",
}
_MIN_MAX: Mapping[type[Operation], str] = {
    arith.MaxSIOp: "smax",
    arith.MinSIOp: "smin",
    arith.MaxUIOp: "umax",
    arith.MinUIOp: "umin",
}


@SCALAR.of(*_OPCODES)
def _binary(em: Emission, op: arith.IntegerBinary, a: Ssa, b: Ssa) -> Ssa:
    return integers.binary(em.w, _OPCODES[type(op)], a, b, _promises(op))


@SCALAR.of(*_QUOTIENTS)
def _divide(em: Emission, op: arith.IntegerBinary, a: Ssa, b: Ssa) -> Ssa:
    opcode = _QUOTIENTS[type(op)]
    if opcode[0] == "s":
        return _signed_quotient(em.w, opcode, a, b, _promises(op))
    return _unsigned_quotient(em.w, opcode, a, b, _promises(op))


def _unsigned_quotient(w: Writer, opcode: str, a: Ssa, b: Ssa, promises: str = "") -> Ssa:
    """`udiv` or `urem`; a short remainder is what the quotient leaves, see `_signed_quotient`."""
    divisor = _divisor(w, b)
    if opcode == "udiv" or b.number is not None or INTEGER_BITS[b.type] >= 32:
        return integers.binary(w, opcode, a, divisor, promises)
    return integers.sub(w, a, integers.mul(w, integers.binary(w, "udiv", a, divisor), divisor))


def _signed_quotient(w: Writer, opcode: str, a: Ssa, b: Ssa, promises: str = "") -> Ssa:
    """`sdiv` or `srem`, of short numbers in 32 bits: LLVM selects no instruction for quotient and remainder of 16."""
    type = a.type if INTEGER_BITS[a.type] >= 32 else "i32"
    x, y = (integers.resize(w, v, type, signed=True) for v in (a, _divisor(w, b)))
    return integers.resize(w, integers.binary(w, opcode, x, y, promises), a.type, signed=True)


def _divisor(w: Writer, b: Ssa) -> Ssa:
    """1 instead of 0. To LLVM a division by zero is a promise that there is none, and that the quotient is as short as
    its operands; here one element's quotient is undefined, and not what shares a register or a test for 0 with it."""
    return integers.select(w, integers.compare(w, "eq", b, integer(0, b.type)), integer(1, b.type), b)


def _promises(op: arith.IntegerBinary) -> str:
    """What the program promises, in LLVM's words."""
    if isinstance(op, arith.ExactBinary):
        return "exact" if op.isExact is not None else ""
    if not isinstance(op, arith.WrappingBinary):
        return ""
    words = op.overflowFlags.value.split(", ")
    return " ".join(w for w in ("nuw", "nsw") if w in words)


@SCALAR.of(*_MIN_MAX)
def _min_max(em: Emission, op: arith.IntegerBinary, a: Ssa, b: Ssa) -> Ssa:
    return min_max(em.w, _MIN_MAX[type(op)], a, b)


def min_max(w: Writer, name: str, a: Ssa, b: Ssa) -> Ssa:
    """`smax`, `smin`, `umax` or `umin`; of numbers that 32 bits hold, in these."""
    if a.number is not None and b.number is not None:
        predicate = name[0] + ("gt" if name.endswith("max") else "lt")
        return integers.select(w, integers.compare(w, predicate, a, b), a, b)
    if a.type == "i64" and integers.is_word(w, a, b, limit=integers.WORD_LIMIT << (name[0] == "u")):
        less = w.call("i32", f"llvm.{name}.i32", *(integers.low_word(w, v) for v in (a, b)))
        found = w.convert("zext", less, "i64")
    else:
        found = w.call(a.type, f"llvm.{name}.{a.type}", a, b)
    if found.is_vector:
        return found
    return w.know(found, range_of(name, [w.range(a), w.range(b)], INTEGER_BITS[a.type]))


@SCALAR.of(arith.FloorDivSIOp)
def _floor_div(em: Emission, op: arith.FloorDivSIOp, a: Ssa, b: Ssa) -> Ssa:
    return rounded_quotient(em.w, a, b, up=False)


@SCALAR.of(arith.CeilDivSIOp)
def _ceil_div(em: Emission, op: arith.CeilDivSIOp, a: Ssa, b: Ssa) -> Ssa:
    return rounded_quotient(em.w, a, b, up=True)


def rounded_quotient(w: Writer, a: Ssa, b: Ssa, *, up: bool) -> Ssa:
    """a / b rounded towards plus or minus infinity: the truncated quotient, one further where it was cut.

    The remainder has the sign of a, so the exact quotient is negative where the remainder's sign differs from b's.
    """
    quotient = _signed_quotient(w, "sdiv", a, b)
    rest = integers.sub(w, a, integers.mul(w, quotient, b))
    zero = integer(0, a.type)
    negative = integers.compare(w, "slt", integers.binary(w, "xor", rest, b), zero)
    wrong_way = integers.binary(w, "xor", negative, integer(1, "i1")) if up else negative
    cut = integers.binary(w, "and", integers.compare(w, "ne", rest, zero), wrong_way)
    return integers.binary(w, "add" if up else "sub", quotient, integers.resize(w, cut, a.type, signed=False))


@SCALAR.of(arith.CeilDivUIOp)
def _ceil_div_unsigned(em: Emission, op: arith.CeilDivUIOp, a: Ssa, b: Ssa) -> Ssa:
    quotient = _unsigned_quotient(em.w, "udiv", a, b)
    rest = integers.sub(em.w, a, integers.mul(em.w, quotient, b))
    cut = integers.compare(em.w, "ne", rest, integer(0, a.type))
    return integers.add(em.w, quotient, integers.resize(em.w, cut, a.type, signed=False))


@SCALAR.of(arith.CmpIOp)
def _compare(em: Emission, op: arith.CmpIOp, a: Ssa, b: Ssa) -> Ssa:
    return integers.compare(em.w, op.predicate.value, a, b)


@EMIT.of(arith.SelectOp)
def _select(em: Emission, op: arith.SelectOp) -> None:
    """A selection; a vector that is selected as a whole is one of words."""
    if op.condition.type.is_vector:
        em.set_elements(op, [integers.select(em.w, *operands) for operands in em.by_element(op)])
        return
    yes, no = em.elements(op.true_value), em.elements(op.false_value)
    em.set_pack(op.result_, select_words(em, em.scalar(op.condition), yes, no))


@SCALAR.of(arith_extended.MulSIExtendedOp, arith_extended.MulUIExtendedOp)
def _product(em: Emission, op: arith_extended.MulExtendedOp, a: Ssa, b: Ssa) -> tuple[Ssa, Ssa]:
    low = integers.mul(em.w, a, b)
    if a.type == "i1":  # -1 * -1 = 1: the upper half of a signed product of bits is always 0
        return low, integer(0, "i1")
    return low, integers.upper_product(em.w, a, b, signed=op.signed)


@SCALAR.of(arith_extended.AddUIExtendedOp)
def _sum(em: Emission, op: arith_extended.AddUIExtendedOp, a: Ssa, b: Ssa) -> tuple[Ssa, Ssa]:
    total = integers.add(em.w, a, b)
    return total, integers.compare(em.w, "ult", total, a)
