"""Gives contractions the element types of an instruction where that changes no value.

Operands that were extended exactly are multiplied as they were before, since a matrix unit's products are exact; where
the chip multiplies wider types only, operands are extended to one that holds all of their values. An accumulator too
narrow for the chip is added in the wider type and rounded once, which is what the contraction means.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np

from ..ir.attributes import UnitAttr
from ..ir.core import Operation, Value
from ..ir.dialects import arith
from ..ir.dialects.arith_casts import Cast
from ..ir.dialects.vector import ContractionOp
from ..ir.dialects.vector_reductions import TF32, UNSIGNED
from ..ir.numerics import Array, float_from_bits, least_normal, to_float, to_type
from ..ir.rewriter import Rewriter
from ..ir.types import (
    BF16,
    F16,
    F32,
    I8,
    FloatType,
    Type,
    bit_width,
    element_type,
    float_type,
    with_element,
)
from ..support.dataclasses import replace
from ..support.named_tuples import NamedTuple
from ..targets import Chip, matrix_instructions, warpgroup_instructions
from ..targets.accumulation import accumulation
from ..targets.matrix_instruction import MatrixInstruction
from .byte_products import multiplies_bytes
from .contraction import Contraction, Contractions, multiplies_short, spelled_types
from .instruction_choice import tilings
from .teams import with_matrix_units
from .workgroup import Workgroup

_WIDER: Mapping[Type, Type] = {F16: F32, BF16: F32}
_OPERAND_TYPES = (F16, BF16, I8)
"""To which operands are extended that the chip does not multiply, the first that serves."""
_BYTE = 8


def fit_matrix_units(function: Operation, workgroup: Workgroup, contractions: Contractions) -> bool:
    """Rewrites the contractions of a function in the vector stage, in place; whether there was one to rewrite."""
    if not function.all_of(ContractionOp):
        return False
    able = with_matrix_units(function, workgroup)
    rewriter, changed = Rewriter(function), False
    for op in rewriter:
        if isinstance(op, ContractionOp):
            found = _on_matrix_units(op, workgroup, contractions) if op in able else None
            found = found or _of_bytes(op, workgroup)
            if found is not None and found.changes(op):
                _rewrite(rewriter, op, found)
                changed = True
    return changed


def refuse_short(function: Operation, chip: Chip) -> bool:
    """Leaves the permission to multiply as tf32 to chips that do: others have all digits. Whether it took one away."""
    if any(i.a_type == "tf32" for i in (*matrix_instructions(chip), *warpgroup_instructions(chip))):
        return False
    permitted = [op for op in function.all_of(ContractionOp) if TF32 in op.attributes]
    for op in permitted:
        del op.attributes[TF32]
    return bool(permitted)


class _Way(NamedTuple):
    """Operands, the element types in which they are multiplied, and the one that their products are added in."""

    lhs: Value
    rhs: Value
    operand_types: tuple[Type, Type]
    sum: Type
    unsigned: tuple[bool, bool]

    def changes(self, op: ContractionOp) -> bool:
        given = element_type(op.lhs.type), element_type(op.rhs.type)
        found = self.lhs, self.rhs, self.operand_types, self.sum
        return found != (op.lhs, op.rhs, given, element_type(op.acc.type))

    def product(self, op: ContractionOp, contractions: Contractions) -> Contraction:
        what = contractions.of(op)
        return replace(
            what, types=spelled_types(*self.operand_types, self.sum, self.unsigned, multiplies_short(op, what.asked))
        )


def _ways(op: ContractionOp) -> Iterator[_Way]:
    """The narrowest operands first, then the accumulator as it is."""
    element = element_type(op.acc.type)
    narrow = _before_extension(op.lhs), _before_extension(op.rhs)
    for lhs, rhs in dict.fromkeys((narrow, (op.lhs, op.rhs))):
        yield from _accumulator_types(op, lhs, rhs, (element_type(lhs.type), element_type(rhs.type)), element)
    for operand_type in _OPERAND_TYPES:
        if all(_holds(operand_type, element_type(v.type)) for v in narrow):
            yield from _accumulator_types(op, *narrow, (operand_type, operand_type), element)


def _accumulator_types(
    op: ContractionOp, lhs: Value, rhs: Value, operand_types: tuple[Type, Type], element: Type
) -> Iterator[_Way]:
    """What zeros extend to a wider integer is no negative number of it, so that one reads it as well as the other."""
    sides = zip((0, 1), (lhs, rhs), operand_types, strict=True)
    left, right = (
        _is_unsigned(op, side, v) and element_type(v.type) == operand_type for side, v, operand_type in sides
    )
    for total in dict.fromkeys((element, _WIDER.get(element, element))):
        yield _Way(lhs, rhs, operand_types, total, (left, right))


@cache
def _holds(wide: Type, narrow: Type) -> bool:
    """Whether every number of one type is one of the other."""
    if wide == narrow:
        return True
    if wide.is_whole or narrow.is_whole:
        return wide.is_whole and narrow.is_whole and bit_width(narrow) < bit_width(wide)
    if bit_width(narrow) > _BYTE:
        return False
    values = _numbers(float_type(narrow))
    return np.array_equal(to_float(to_type(values, wide), wide).astype(np.float64), values, equal_nan=True)


def _has_subnormals(wide: Type, narrow: Type) -> bool:
    """Whether numbers of a type of at most 8 bits are subnormal ones of the wider type."""
    if not wide.is_float or not narrow.is_float:
        return False
    values = np.abs(_numbers(float_type(narrow)))
    return bool(((values > 0) & (values < least_normal(float_type(wide)))).any())


def _numbers(type: FloatType) -> Array:
    """All of a type of at most 8 bits."""
    return np.array([float_from_bits(bits, type) for bits in range(1 << type.width)])


def _is_unsigned(op: ContractionOp, side: int, value: Value) -> bool:
    """Whether zeros extend the operand `value` that lhs (0) or rhs (1) becomes: what is extended twice has the first
    extension's sign."""
    whole = (op.lhs, op.rhs)[side]
    return op.unsigned[side] if value is whole else isinstance(whole.owner, arith.ExtUIOp)


def _on_matrix_units(op: ContractionOp, workgroup: Workgroup, contractions: Contractions) -> _Way | None:
    for way in _ways(op):
        found = tilings(way.product(op, contractions), workgroup)
        if found and all(_sees(workgroup.chip, tiling.instruction, way) for tiling in found):
            return way
    return None


def _sees(chip: Chip, instruction: MatrixInstruction, way: _Way) -> bool:
    """Whether the unit multiplies what was extended: some take subnormal numbers for zeros."""
    adds = accumulation(instruction, chip)
    pairs = zip(way.operand_types, (element_type(v.type) for v in (way.lhs, way.rhs)), strict=True)
    return adds is None or not adds.flushes or not any(f != v and _has_subnormals(f, v) for f, v in pairs)


def _of_bytes(op: ContractionOp, workgroup: Workgroup) -> _Way | None:
    """Where threads multiply bytes four at once."""
    ways = (way for way in _ways(op) if multiplies_bytes(op, workgroup.chip, (way.lhs, way.rhs), way.unsigned))
    return next(ways, None)


def _before_extension(value: Value) -> Value:
    return value.owner.operands[0] if isinstance(value.owner, Cast) and value.owner.widens else value


def _extended(rewriter: Rewriter, op: ContractionOp, side: int, value: Value, to: Type) -> Value:
    type = value.type
    if element_type(type) == to:
        return value
    wide = with_element(type, to)
    of_integers = arith.ExtUIOp if _is_unsigned(op, side, value) else arith.ExtSIOp
    kind = arith.ExtFOp if to.is_float else of_integers
    return rewriter.insert_before(op, kind([value], [wide], location=op)).results[0]


def _rewrite(rewriter: Rewriter, op: ContractionOp, way: _Way) -> None:
    type = op.acc.type
    acc: Value = op.acc
    wide = with_element(type, way.sum)
    if wide != type:
        acc = rewriter.insert_before(op, arith.ExtFOp([acc], [wide], location=op)).results[0]
    sides = zip((0, 1), (way.lhs, way.rhs), way.operand_types, strict=True)
    lhs, rhs = (_extended(rewriter, op, side, v, operand_type) for side, v, operand_type in sides)
    operands = [lhs, rhs, acc, *op.masks]
    dropped = UNSIGNED if way.operand_types == (F32, F32) else (*UNSIGNED, TF32)
    kept = {name: value for name, value in op.attributes.items() if name not in dropped}
    marks = {name: UnitAttr() for name, is_unsigned in zip(UNSIGNED, way.unsigned, strict=True) if is_unsigned}
    made = ContractionOp(operands, [wide], kept | marks, location=op)
    result: Value = rewriter.insert_before(op, made).results[0]
    if wide != type:
        result = rewriter.insert_before(op, arith.TruncFOp([result], [type], location=op)).results[0]
    extended = [v.owner for v in (op.lhs, op.rhs)]
    rewriter.replace(op, [result])
    for maker in dict.fromkeys(extended):
        if isinstance(maker, Cast) and maker.widens and maker.parent is not None and not maker.results[0].users:
            rewriter.erase(maker)
