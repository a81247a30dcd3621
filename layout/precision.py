"""Gives contractions the element types of a matrix instruction where that changes no value.

Operands that were extended exactly are multiplied as they were before, since a matrix unit's products are exact; an
accumulator too narrow for the chip is added in the wider type and rounded once, which is what the contraction means.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from ..ir.core import Operation, Value
from ..ir.dialects import arith
from ..ir.dialects.vector import ContractionOp
from ..ir.rewriter import Rewriter
from ..ir.types import BF16, F16, F32, Type, VectorType, element_type
from .contraction import Product, tilings
from .teams import with_matrix_units
from .workgroup import Workgroup

_EXTENSIONS = (arith.ExtFOp, arith.ExtSIOp)
_WIDER: Mapping[Type, Type] = {F16: F32, BF16: F32}


def fit_matrix_units(function: Operation, workgroup: Workgroup) -> None:
    """Rewrites the contractions of a function in the vector stage, in place."""
    able = with_matrix_units(function, workgroup)
    rewriter = Rewriter(function)
    for op in rewriter:
        if op in able and isinstance(op, ContractionOp):
            found = next((way for way in _ways(op) if tilings(way.product(op), workgroup.chip)), None)
            if found is not None and found.changes(op):
                _rewrite(rewriter, op, found)


class _Way(NamedTuple):
    """Factors, and the element type that their products are added in."""

    lhs: Value
    rhs: Value
    sum: Type

    def changes(self, op: ContractionOp) -> bool:
        return (self.lhs, self.rhs, self.sum) != (op.lhs, op.rhs, element_type(op.acc.type))

    def product(self, op: ContractionOp) -> Product:
        types = (str(element_type(self.lhs.type)), str(element_type(self.rhs.type)), str(self.sum))
        return replace(Product.of(op), types=types)


def _ways(op: ContractionOp) -> Iterator[_Way]:
    """The narrowest factors first, then the accumulator as it is."""
    element = element_type(op.acc.type)
    narrow = _before_extension(op.lhs), _before_extension(op.rhs)
    for lhs, rhs in dict.fromkeys((narrow, (op.lhs, op.rhs))):
        for total in dict.fromkeys((element, _WIDER.get(element, element))):
            if element_type(lhs.type) == element_type(rhs.type):
                yield _Way(lhs, rhs, total)


def _before_extension(value: Value) -> Value:
    return value.owner.operands[0] if isinstance(value.owner, _EXTENSIONS) else value


def _rewrite(rewriter: Rewriter, op: ContractionOp, way: _Way) -> None:
    type = op.acc.type
    acc: Value = op.acc
    wide = VectorType(type.shape, way.sum) if isinstance(type, VectorType) else way.sum
    if wide != type:
        acc = rewriter.insert_before(op, arith.ExtFOp([acc], [wide], location=op.location)).results[0]
    operands = [way.lhs, way.rhs, acc, *op.masks]
    result: Value = rewriter.insert_before(
        op, ContractionOp(operands, [wide], op.attributes, location=op.location)
    ).results[0]
    if wide != type:
        result = rewriter.insert_before(op, arith.TruncFOp([result], [type], location=op.location)).results[0]
    extended = [v.owner for v in (op.lhs, op.rhs)]
    rewriter.replace(op, [result])
    for maker in dict.fromkeys(extended):
        if isinstance(maker, _EXTENSIONS) and maker.parent is not None and not maker.results[0].users:
            rewriter.erase(maker)
