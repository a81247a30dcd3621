"""Float operations of arith, one element at a time. Nothing is contracted or reassociated unless fastmath says so."""

from __future__ import annotations

from collections.abc import Mapping

from ...ir.attributes import IntegerAttr
from ...ir.core import Operation
from ...ir.dialects import arith
from ...ir.dialects.elementwise import rounding_mode
from ...ir.rounding import NEAREST_EVEN
from ...ir.types import TF32, element_type
from . import floats, integers, rounding, small_floats
from .approximations import quotient
from .emission import Emission
from .emit_rules import EMIT, SCALAR
from .expansion import LlvmArithmetic
from .pack import put_together, take_apart
from .text import FALSE, FLOAT_BITS, TRUE, Ssa, float_of_bits, integer
from .widened import on_floats

_OPCODES: Mapping[type[Operation], str] = {
    arith.AddFOp: "fadd",
    arith.SubFOp: "fsub",
    arith.MulFOp: "fmul",
}
# maximumnum and minimumnum order the zeros and ignore every NaN, as maxnumf's reference does; maxnum leaves both open.
_INTRINSICS: Mapping[type[Operation], str] = {
    arith.MaximumFOp: "maximum",
    arith.MinimumFOp: "minimum",
    arith.MaxNumFOp: "maximumnum",
    arith.MinNumFOp: "minimumnum",
}
_CONSTANT = {"true": TRUE, "false": FALSE}


@on_floats(*_OPCODES)
def _binary(em: Emission, op: arith.FloatBinary, a: Ssa, b: Ssa) -> Ssa:
    mode = rounding_mode(op)
    if mode != NEAREST_EVEN:
        return rounding.arithmetic(em, _OPCODES[type(op)], mode, a, b)
    return floats.binary(em.w, _OPCODES[type(op)], a, b, floats.flags_text(op))


@on_floats(arith.DivFOp)
def _quotient(em: Emission, op: arith.DivFOp, a: Ssa, b: Ssa) -> Ssa:
    """A quotient; one of f32 by way of the reciprocal, too, where the operation allows it."""
    mode, flags = rounding_mode(op), floats.flags_of(op)
    if mode != NEAREST_EVEN:
        return rounding.arithmetic(em, "fdiv", mode, a, b)
    approximates = floats.approximates(op)
    if a.type == "float" and (approximates or "arcp" in flags) and not b.is_constant:
        return quotient(LlvmArithmetic(em, a.type), a, b, by_instruction=approximates)
    return floats.binary(em.w, "fdiv", a, b, floats.flags_text(op))


def write_pair(em: Emission, first: Operation, second: Operation) -> None:
    """Two operations that are alike (see pairs.py) as one on vectors of two."""
    a, b, *added = (put_together(em.w, em.scalars(pair)) for pair in zip(first.operands, second.operands, strict=True))
    flags = floats.flags_text(first)
    if opcode := _OPCODES.get(type(first)):
        found = floats.binary(em.w, opcode, a, b, flags)
    else:
        found = em.w.call(a.type, "llvm.fma.v2f32", a, b, *added, flags=flags)
    for op, element in zip((first, second), take_apart(em.w, found, 2), strict=True):
        em.set(op.results[0], element)


@on_floats(arith.RemFOp)
def _remainder(em: Emission, op: arith.RemFOp, a: Ssa, b: Ssa) -> Ssa:
    return floats.remainder(em, a, b)


@on_floats(*_INTRINSICS)
def _min_max(em: Emission, op: arith.FloatBinary, a: Ssa, b: Ssa) -> Ssa:
    return floats.extremum(em.w, _INTRINSICS[type(op)], a, b, flags=floats.flags_text(op))


@on_floats(arith.NegFOp)
def _negate(em: Emission, op: arith.NegFOp, a: Ssa) -> Ssa:
    return floats.negate(em.w, a, floats.flags_text(op))


@on_floats(arith.CmpFOp)
def _compare(em: Emission, op: arith.CmpFOp, a: Ssa, b: Ssa) -> Ssa:
    predicate = op.predicate.value
    if predicate in _CONSTANT:
        return _CONSTANT[predicate]
    return floats.compare(em.w, predicate, a, b, floats.flags_text(op))


@EMIT.of(arith.ConstantOp)
def _constant(em: Emission, op: arith.ConstantOp) -> None:
    type, attribute = op.result_.type, op.attributes["value"]
    element = em.type(element_type(type))
    if isinstance(attribute, IntegerAttr):
        em.set(op.result_, integer(attribute.value, element))
        return
    values = op.array()
    if element in FLOAT_BITS:
        numbers = values.view(f"u{values.dtype.itemsize}").reshape(-1).tolist()
        elements = [float_of_bits(n, element) for n in numbers]
    elif element_type(type).is_float:
        elements = [integer(n, element) for n in values.view("u1").reshape(-1).tolist()]
    else:
        elements = [integer(int(n), element) for n in values.reshape(-1).tolist()]
    em.set_pack(op.result_, elements)


@SCALAR.of(arith.BitcastOp)
def _bitcast(em: Emission, op: arith.BitcastOp, a: Ssa) -> Ssa:
    source, target = (element_type(value.type) for value in (op.in_, op.out))
    if source == target:
        return a
    if source == TF32:
        return small_floats.tf32_bits(em.w, a)
    return small_floats.tf32_of_bits(em.w, a) if target == TF32 else integers.bitcast(em.w, a, em.type(target))
