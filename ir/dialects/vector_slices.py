"""vector: parts of vectors taken, put in and put together anew: strided slices and shuffles.

The reference functions accept further leading axes on every operand (one entry a thread, for instance) and keep them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...support.diagnostics import Report
from ..attributes import int_array, is_int_array
from ..core import Operation, Value
from ..define import int_array_attribute, is_vector, operand, result
from ..numerics import Array
from ..types import Attribute, Type, VectorType
from .vector_shape import leading, vector_type

POISON = -1
"""As the number of a row or a position: what stands there is poison."""


def _check_slice(
    op: ExtractStridedSliceOp | InsertStridedSliceOp, report: Report, whole: VectorType, sizes: Sequence[int]
) -> bool:
    """Whether the slice of `sizes` at the operation's offsets, of the last dims given, lies in `whole`."""
    for dim, stride in enumerate(op.strides):
        if stride != 1:
            op.error(report, f"stride {stride} of dimension {dim}: strided slices are of stride 1")
            return False
    for dim, (offset, size) in enumerate(zip(op.offsets, sizes, strict=True)):
        extent = whole.shape[dim]
        if offset < 0 or size < 1 or offset + size > extent:
            end = f"{offset} to {offset + size - 1}"
            op.error(report, f"elements {end} are not in dimension {dim} of {whole}, which is 0 to {extent - 1}")
            return False
    return True


class ExtractStridedSliceOp(Operation, opname="vector.extract_strided_slice"):
    """The elements from `offsets` on, `sizes` of them along each of the first dims, all along the rest."""

    pure = True
    batched = True
    moves = slice(None)
    source = operand(is_vector)
    offsets = int_array_attribute(dense=False)
    sizes = int_array_attribute(dense=False)
    strides = int_array_attribute(dense=False)
    result_ = result(is_vector)
    assembly = (
        "$source (`offsets` `=` $offsets^ `,` `sizes` `=` $sizes `,` `strides` `=` $strides)? attr-dict"
        " `:` type($source) (`to` type($result)^)?"
    )

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        """Types for texts that leave the type out."""
        source, sizes = operands[0].type, attributes.get("sizes")
        if not isinstance(source, VectorType) or sizes is None or not is_int_array(sizes):
            return [source]
        taken = int_array(sizes)
        return [VectorType((*taken, *source.shape[len(taken) :]), source.element)]

    def verify(self, report: Report) -> None:
        source, given = vector_type(self.source), len(self.offsets)
        if not given == len(self.sizes) == len(self.strides):
            numbers = f"{given} offsets, {len(self.sizes)} sizes and {len(self.strides)} strides"
            self.error(report, f"has {numbers}; there must be one of each for the first dims")
        elif given > source.rank:
            self.error(report, f"has {given} offsets, {source} has {source.rank} dims")
        elif _check_slice(self, report, source, self.sizes):
            expected = VectorType((*self.sizes, *source.shape[given:]), source.element)
            if self.result_.type != expected:
                self.error(report, f"result must be {expected}, found {self.result_.type}")

    def reference(self, source: Array) -> Array:
        lead = leading(source, self.source.type)
        window = tuple(slice(a, a + n) for a, n in zip(self.offsets, self.sizes, strict=True))
        return source[(*[slice(None)] * len(lead), *window)]


class InsertStridedSliceOp(Operation, opname="vector.insert_strided_slice"):
    """The destination with the value at `offsets`; the value's dims are the last ones of the destination."""

    pure = True
    batched = True
    moves = slice(None)
    value = operand(is_vector)
    dest = operand(is_vector)
    offsets = int_array_attribute(dense=False)
    strides = int_array_attribute(dense=False)
    result_ = result(is_vector)
    same_type = ("dest", "result")
    assembly = (
        "$value `,` $dest (`offsets` `=` $offsets^ `,` `strides` `=` $strides)? attr-dict"
        " `:` type($value) `into` type($dest)"
    )

    def verify(self, report: Report) -> None:
        value, dest = vector_type(self.value), vector_type(self.dest)
        if value.element != dest.element:
            self.error(report, f"element types differ: {value} into {dest}")
        elif value.rank > dest.rank:
            self.error(report, f"value rank {value.rank} exceeds destination rank {dest.rank}")
        elif len(self.offsets) != dest.rank:
            self.error(report, f"has {len(self.offsets)} offsets, {dest} has {dest.rank} dims")
        elif len(self.strides) != value.rank:
            self.error(report, f"has {len(self.strides)} strides, {value} has {value.rank} dims")
        else:
            _check_slice(self, report, dest, self._sizes())

    def _sizes(self) -> tuple[int, ...]:
        value = vector_type(self.value)
        return (1,) * (vector_type(self.dest).rank - value.rank) + tuple(value.shape)

    def reference(self, value: Array, dest: Array) -> Array:
        lead = np.broadcast_shapes(leading(value, self.value.type), leading(dest, self.dest.type))
        changed = np.array(np.broadcast_to(dest, lead + vector_type(self.dest).shape))
        window = tuple(slice(a, a + n) for a, n in zip(self.offsets, self._sizes(), strict=True))
        part = value.reshape(leading(value, self.value.type) + self._sizes())
        changed[(*[slice(None)] * len(lead), *window)] = part
        return changed


class ShuffleOp(Operation, opname="vector.shuffle"):
    """Row i of the result is row `mask[i]` of both vectors, the second behind the first; 0-D ones have one element.

    -1 is no row: poison, which the reference has as zero.
    """

    pure = True
    batched = True
    moves = slice(None)
    v1 = operand(is_vector)
    v2 = operand(is_vector)
    mask = int_array_attribute()
    result_ = result(is_vector)
    assembly = "$v1 `,` $v2 $mask attr-dict `:` type($v1) `,` type($v2)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        first, rows = vector_type(operands[0]), int_array(attributes["mask"])
        return [VectorType((len(rows), *first.shape[1:]), first.element)]

    def verify(self, report: Report) -> None:
        first, second = vector_type(self.v1), vector_type(self.v2)
        if (first.element, first.rank, first.shape[1:]) != (second.element, second.rank, second.shape[1:]):
            self.error(report, f"operands may differ in the first dim only, found {first} and {second}")
            return
        rows = _rows(first) + _rows(second)
        for position, row in enumerate(self.mask):
            if not POISON <= row < rows:
                self.error(report, f"mask index {position} is {row}, {first} and {second} have rows 0 to {rows - 1}")
        expected = VectorType((len(self.mask), *first.shape[1:]), first.element)
        if not self.mask:
            self.error(report, "mask is empty; the result has one row for each of its numbers")
        elif self.result_.type != expected:
            self.error(report, f"result must be {expected}, found {self.result_.type}")

    def reference(self, v1: Array, v2: Array) -> Array:
        lead = np.broadcast_shapes(leading(v1, self.v1.type), leading(v2, self.v2.type))
        both = [np.broadcast_to(v, lead + (vector_type(o).shape or (1,))) for v, o in ((v1, self.v1), (v2, self.v2))]
        rows = np.concatenate(both, axis=len(lead)).take(np.maximum(self.mask, 0), axis=len(lead))
        poison = (np.array(self.mask) == POISON).reshape((-1,) + (1,) * (rows.ndim - len(lead) - 1))
        return np.where(poison, np.zeros((), rows.dtype), rows) if poison.any() else rows


def _rows(type: VectorType) -> int:
    return type.shape[0] if type.rank else 1
