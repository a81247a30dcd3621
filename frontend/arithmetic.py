"""Arithmetic that is short for operations of arith and math: scaled conversions, those between types of one width,
extremes of numbers, and conversions of nvgpu."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import Builder, Operation, Value
from ..ir.dialects import arith, math
from ..ir.dialects.arith import IntegerPredicateAttr
from ..ir.dialects.arith_short import (
    E8M0,
    ConvertFOp,
    FlushDenormalsOp,
    NumberBinary,
    Scaling,
    ScalingExtFOp,
    ScalingTruncFOp,
    SubUIExtendedOp,
)
from ..ir.dialects.elementwise import FastMathAttr, FloatPredicateAttr, RoundingModeAttr
from ..ir.dialects.longhand import constant, select
from ..ir.dialects.nvgpu_floats import MODES, ConvertOp, NvgpuExtFOp, NvgpuTruncFOp, RcpOp
from ..ir.numerics import largest, least_normal
from ..ir.types import F32, I1, FloatType, Type, element_type, scalar_type, with_element
from .legalisations import Place, expands

# -- arith ------------------------------------------------------------------------------------------------------------


def _is_nan(build: Builder, value: Value) -> Value:
    types = [with_element(value.type, I1)]
    return build.value(arith.CmpFOp, value, value, types=types, predicate=FloatPredicateAttr("uno"))


@expands(NumberBinary)
def _extreme(place: Place, op: NumberBinary) -> Sequence[Value]:
    extreme = place.value(op.of_numbers, op.lhs, op.rhs, fastmath=op.fastmath)
    number = select(place, _is_nan(place, op.lhs), op.rhs, extreme)
    return [select(place, _is_nan(place, op.rhs), op.lhs, number)]


@expands(FlushDenormalsOp)
def _flushed(place: Place, op: FlushDenormalsOp) -> Sequence[Value]:
    type = op.operand_.type
    least = constant(place, least_normal(op.element), type)
    size = place.value(math.AbsFOp, op.operand_)
    small = place.value(arith.CmpFOp, size, least, types=[with_element(type, I1)], predicate=FloatPredicateAttr("olt"))
    zero = place.value(math.CopySignOp, constant(place, 0.0, type), op.operand_)
    return [select(place, small, zero, op.operand_)]


@expands(SubUIExtendedOp)
def _borrowed(place: Place, op: SubUIExtendedOp) -> Sequence[Value]:
    types = [with_element(op.lhs.type, I1)]
    less = place.value(arith.CmpIOp, op.lhs, op.rhs, types=types, predicate=IntegerPredicateAttr("ult"))
    return [place.value(arith.SubIOp, op.lhs, op.rhs), less]


@expands(ConvertFOp)
def _converted(place: Place, op: ConvertFOp) -> Sequence[Value]:
    wide = place.value(arith.ExtFOp, op.in_, types=[with_element(op.in_.type, F32)])
    return [_truncated(place, wide, op.out.type, op)]


@expands(ScalingExtFOp)
def _scaled(place: Place, op: ScalingExtFOp) -> Sequence[Value]:
    type = op.out.type
    wide = place.value(arith.ExtFOp, op.in_, types=[type])
    return [place.value(arith.MulFOp, wide, _power(place, op, type), fastmath=op.fastmath)]


@expands(ScalingTruncFOp)
def _quotient(place: Place, op: ScalingTruncFOp) -> Sequence[Value]:
    power = _power(place, op, op.in_.type)
    quotient = place.value(arith.DivFOp, op.in_, power, fastmath=op.fastmath)
    return [_truncated(place, quotient, op.out.type, op)]


def _power(build: Builder, op: Scaling, type: Type) -> Value:
    """The scale as a number of a type."""
    exponent: Value = op.scale
    if scalar_type(exponent.type) != E8M0:
        exponent = build.value(arith.TruncFOp, exponent, types=[with_element(exponent.type, E8M0)])
    return build.value(arith.ExtFOp, exponent, types=[type])


def _truncated(build: Builder, value: Value, type: Type, by: Operation) -> Value:
    mode = by.attributes.get("roundingmode")
    return value if value.type == type else build.value(arith.TruncFOp, value, types=[type], roundingmode=mode)


# -- nvgpu ------------------------------------------------------------------------------------------------------------


@expands(NvgpuExtFOp)
def _extended(place: Place, op: NvgpuExtFOp) -> Sequence[Value]:
    return [_without_negatives(place, op, place.value(arith.ExtFOp, op.in_, types=[op.out.type]))]


@expands(NvgpuTruncFOp)
def _narrowed(place: Place, op: NvgpuTruncFOp) -> Sequence[Value]:
    value, element = _without_negatives(place, op, op.in_), element_type(op.out.type)
    assert isinstance(element, FloatType)
    if op.sat.value == "satfinite":
        top = largest(element)
        for cls, limit in ((arith.MinimumFOp, top), (arith.MaximumFOp, -top)):
            value = place.value(cls, value, constant(place, limit, value.type))
    mode = MODES[op.rnd.value]
    rounding = None if mode is None else RoundingModeAttr(mode)
    return [place.value(arith.TruncFOp, value, types=[op.out.type], roundingmode=rounding)]


def _without_negatives(build: Builder, op: ConvertOp, value: Value) -> Value:
    return build.value(arith.MaximumFOp, value, constant(build, 0.0, value.type)) if op.relu.value else value


@expands(RcpOp)
def _reciprocal(place: Place, op: RcpOp) -> Sequence[Value]:
    one = constant(place, 1.0, op.in_.type)
    return [place.value(arith.DivFOp, one, op.in_, fastmath=FastMathAttr("afn"))]
