"""Operations of index are those of arith under other names."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import Value
from ..ir.dialects import arith
from ..ir.dialects.arith import IntegerPredicateAttr
from ..ir.dialects.longhand import constant
from ..ir.types import INDEX, bit_width
from .dialects import index
from .legalisations import Place, expands


@expands(index.Binary, first=True)
def _binary(place: Place, op: index.Binary) -> Sequence[Value]:
    return [place.value(op.stands_for, op.lhs, op.rhs)]


@expands(index.CmpOp, first=True)
def _compare(place: Place, op: index.CmpOp) -> Sequence[Value]:
    return [place.value(arith.CmpIOp, op.lhs, op.rhs, predicate=IntegerPredicateAttr(op.pred.value))]


@expands(index.Cast, first=True)
def _cast(place: Place, op: index.Cast) -> Sequence[Value]:
    return [place.value(op.stands_for, op.input, types=[op.output.type])]


@expands(index.SizeOfOp, first=True)
def _size(place: Place, op: index.SizeOfOp) -> Sequence[Value]:
    return [constant(place, bit_width(INDEX), INDEX)]


@expands(index.Constant, first=True)
def _constant(place: Place, op: index.Constant) -> Sequence[Value]:
    return [place.value(arith.ConstantOp, types=[op.of], value=op.value)]
