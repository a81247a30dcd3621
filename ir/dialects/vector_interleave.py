"""vector: every other element (interleave, deinterleave), and elements read as others of the same bits (bitcast).

The reference functions accept further leading axes on every operand (one entry a thread, for instance) and keep them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...support.diagnostics import Report
from .. import numerics
from ..assembly_elements import ResultTypes, State
from ..core import Operation, Value
from ..define import is_vector, operand, result
from ..fields import ResultField
from ..numerics import Array
from ..types import Attribute, Type, VectorType, bit_width
from .vector_shape import leading, vector_type

if TYPE_CHECKING:
    from ..operation_parser import Parser


def _doubled(type: VectorType) -> VectorType:
    """With twice the elements in the last dim; a vector without dims gets one of two."""
    return VectorType((*type.shape[:-1], 2 * (type.shape[-1] if type.rank else 1)), type.element)


class InterleaveOp(Operation, opname="vector.interleave"):
    """Elements of both vectors in turn along the last dim, `lhs` first."""

    pure = True
    moves = slice(None)
    lhs = operand(is_vector)
    rhs = operand(is_vector)
    result_ = result(is_vector)
    same_type = ("lhs", "rhs")
    assembly = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [_doubled(vector_type(operands[0]))]

    def verify(self, report: Report) -> None:
        expected = _doubled(self.lhs.type)
        if self.result_.type != expected:
            self.error(report, f"interleaves two {self.lhs.type} into {expected}, the result is {self.result_.type}")

    def reference(self, lhs: Array, rhs: Array) -> Array:
        lead = np.broadcast_shapes(leading(lhs, self.lhs.type), leading(rhs, self.rhs.type))
        both = [np.broadcast_to(side, lead + self.lhs.type.shape) for side in (lhs, rhs)]
        return np.stack(both, axis=-1).reshape(lead + self.result_.type.shape)


class BothTypes(ResultTypes):
    """The type of two results."""

    def __init__(self, first: ResultField[Any], second: ResultField[Any]) -> None:
        super().__init__(first)
        self.second = second

    def parse(self, parser: Parser, state: State) -> None:
        super().parse(parser, state)
        state.result_types[self.second.name] = state.result_types[self.field.name]


class DeinterleaveOp(Operation, opname="vector.deinterleave"):
    """The elements at even places of the last dim, and those at odd ones."""

    pure = True
    moves = slice(None)
    source = operand(is_vector)
    even = result(is_vector)
    odd = result(is_vector)
    same_type = ("even", "odd")
    directives = {"BothTypes": BothTypes}
    assembly = "$source attr-dict `:` type($source) `->` custom<BothTypes>($even, $odd)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        source = vector_type(operands[0])
        return [VectorType((*source.shape[:-1], source.shape[-1] // 2), source.element)] * 2

    def verify(self, report: Report) -> None:
        source, half = self.source.type, self.even.type
        if source.rank < 1 or half.rank < 1 or _doubled(half) != source:
            self.error(report, f"takes {source} apart into two of half its last dim, which is even; found {half}")

    def reference(self, source: Array) -> tuple[Array, Array]:
        return source[..., ::2], source[..., 1::2]


class BitCastOp(Operation, opname="vector.bitcast"):
    """The bits of each row along the last dim as elements of another width; the first element has the lowest bits."""

    pure = True
    source = operand(is_vector)
    result_ = result(is_vector)
    assembly = "$source attr-dict `:` type($source) `to` type($result)"

    @property
    def ratio(self) -> int:
        """How many elements of the narrower type one of the wider holds."""
        widths = [bit_width(type.element) for type in (self.source.type, self.result_.type)]
        return max(widths) // min(widths)

    def verify(self, report: Report) -> None:
        source, target = self.source.type, self.result_.type
        if source.rank != target.rank:
            self.error(report, f"ranks differ: {source} to {target}")
        elif source.shape[:-1] != target.shape[:-1]:
            self.error(report, f"only the last dim may differ: {source} to {target}")
        elif _row_bits(source) != _row_bits(target):
            self.error(report, f"rows of {source} have {_row_bits(source)} bits, of {target} {_row_bits(target)}")
        elif max(bits := [bit_width(t.element) for t in (source, target)]) % min(bits):
            self.error(report, f"elements of {max(bits)} bits are no whole number of elements of {min(bits)}")

    def reference(self, source: Array) -> Array:
        target = self.result_.type
        lead = leading(source, self.source.type)
        bits = numerics.to_bits(source, self.source.type.element).reshape((*lead, *target.shape[:-1], -1))
        return numerics.from_bits(bits, target.element).reshape(lead + target.shape)


def _row_bits(type: VectorType) -> int:
    return (type.shape[-1] if type.rank else 1) * bit_width(type.element)
