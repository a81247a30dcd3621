"""Gives contractions the element types of an instruction where that changes no value.

Operands that were extended exactly are multiplied as they were before, since a matrix unit's products are exact; an
accumulator too narrow for the chip is added in the wider type and rounded once, which is what the contraction means.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from ..ir.attributes import UnitAttr
from ..ir.core import Operation, Value
from ..ir.dialects import arith
from ..ir.dialects.vector import ContractionOp
from ..ir.dialects.vector_reductions import UNSIGNED
from ..ir.rewriter import Rewriter
from ..ir.types import BF16, F16, F32, Type, VectorType, element_type
from .byte_products import multiplies_bytes
from .contraction import tilings
from .product import Product, spelled_types
from .teams import with_matrix_units
from .workgroup import Workgroup

_EXTENSIONS = (arith.ExtFOp, arith.ExtSIOp, arith.ExtUIOp)
_WIDER: Mapping[Type, Type] = {F16: F32, BF16: F32}


def fit_matrix_units(function: Operation, workgroup: Workgroup) -> None:
    """Rewrites the contractions of a function in the vector stage, in place."""
    able = with_matrix_units(function, workgroup)
    rewriter = Rewriter(function)
    for op in rewriter:
        if isinstance(op, ContractionOp):
            found = _on_matrix_units(op, workgroup) if op in able else None
            found = found or _of_bytes(op, workgroup)
            if found is not None and found.changes(op):
                _rewrite(rewriter, op, found)


class _Way(NamedTuple):
    """Factors, and the element type that their products are added in."""

    lhs: Value
    rhs: Value
    sum: Type
    unsigned: tuple[bool, bool]

    def changes(self, op: ContractionOp) -> bool:
        return (self.lhs, self.rhs, self.sum) != (op.lhs, op.rhs, element_type(op.acc.type))

    def product(self, op: ContractionOp) -> Product:
        what, (lhs, rhs) = Product.of(op), (element_type(v.type) for v in (self.lhs, self.rhs))
        return replace(what, types=spelled_types(lhs, rhs, self.sum, self.unsigned, what.asked))


def _ways(op: ContractionOp) -> Iterator[_Way]:
    """The narrowest factors first, then the accumulator as it is."""
    element = element_type(op.acc.type)
    narrow = _before_extension(op.lhs), _before_extension(op.rhs)
    for lhs, rhs in dict.fromkeys((narrow, (op.lhs, op.rhs))):
        unsigned = _is_unsigned(op, 0, lhs), _is_unsigned(op, 1, rhs)
        for total in dict.fromkeys((element, _WIDER.get(element, element))):
            if element_type(lhs.type) == element_type(rhs.type):
                yield _Way(lhs, rhs, total, unsigned)


def _is_unsigned(op: ContractionOp, side: int, value: Value) -> bool:
    """Whether zeros extend the operand `value` that lhs (0) or rhs (1) becomes: what is extended twice has the first
    extension's sign."""
    whole = (op.lhs, op.rhs)[side]
    return op.unsigned[side] if value is whole else isinstance(whole.owner, arith.ExtUIOp)


def _on_matrix_units(op: ContractionOp, workgroup: Workgroup) -> _Way | None:
    return next((way for way in _ways(op) if tilings(way.product(op), workgroup)), None)


def _of_bytes(op: ContractionOp, workgroup: Workgroup) -> _Way | None:
    """Where threads multiply bytes four at once."""
    ways = (way for way in _ways(op) if multiplies_bytes(op, workgroup.chip, (way.lhs, way.rhs), way.unsigned))
    return next(ways, None)


def _before_extension(value: Value) -> Value:
    return value.owner.operands[0] if isinstance(value.owner, _EXTENSIONS) else value


def _rewrite(rewriter: Rewriter, op: ContractionOp, way: _Way) -> None:
    type = op.acc.type
    acc: Value = op.acc
    wide = VectorType(type.shape, way.sum) if isinstance(type, VectorType) else way.sum
    if wide != type:
        acc = rewriter.insert_before(op, arith.ExtFOp([acc], [wide], location=op.location)).results[0]
    operands = [way.lhs, way.rhs, acc, *op.masks]
    kept = {name: value for name, value in op.attributes.items() if name not in UNSIGNED}
    marks = {name: UnitAttr() for name, is_unsigned in zip(UNSIGNED, way.unsigned, strict=True) if is_unsigned}
    made = ContractionOp(operands, [wide], kept | marks, location=op.location)
    result: Value = rewriter.insert_before(op, made).results[0]
    if wide != type:
        result = rewriter.insert_before(op, arith.TruncFOp([result], [type], location=op.location)).results[0]
    extended = [v.owner for v in (op.lhs, op.rhs)]
    rewriter.replace(op, [result])
    for maker in dict.fromkeys(extended):
        if isinstance(maker, _EXTENSIONS) and maker.parent is not None and not maker.results[0].users:
            rewriter.erase(maker)
