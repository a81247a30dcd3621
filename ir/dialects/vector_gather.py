"""vector: gather and scatter, whose elements lie where a vector of indices says.

Element i is at `base[indices..., last + index_vec[i]]`: the last index, and only that, is counted on from by each
element. Where the mask is off nothing is touched, and the index may be anything. The elements of a scatter are written
in their order: of those that go to one place, the one with the highest number stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ...support.diagnostics import Report
from ..core import Operation, Value
from ..define import (
    OperandField,
    is_index,
    is_index_vector,
    is_mask,
    is_memref,
    is_vector,
    operand,
    operands,
    optional_int_attribute,
    result,
)
from ..numerics import Array
from ..traits import READS, WRITES
from ..types import IndexType, MemRefType, Type, VectorType, shape_of
from .vector_mask_region import Maskable
from .vector_memory import check_alignment

DISTINCT = "lanewise.distinct"
ALIGNMENT = "(`alignment` `=` $alignment^)?"


class GatherScatterOp(Operation):
    """What both share."""

    pure = False
    alignment = optional_int_attribute()

    base: ClassVar[OperandField[Value[MemRefType]]]
    offsets: ClassVar[OperandField[tuple[Value[IndexType], ...]]]
    index_vec: ClassVar[OperandField[Value[VectorType]]]
    mask: ClassVar[OperandField[Value[VectorType]]]

    @property
    def memref(self) -> Value[MemRefType]:
        return self.base

    @property
    def memref_type(self) -> MemRefType:
        return self.base.type

    @property
    def vector_type(self) -> VectorType:
        """The type of the vector that moves."""
        raise AssertionError

    @property
    def indices(self) -> tuple[Value, ...]:
        """All that says where elements are."""
        return (*self.offsets, self.index_vec)

    def places(self, indices: Sequence[Array]) -> list[Array]:
        """For each memref dim the index of every element, that broadcasts to [owners or 1, *vector]."""
        shape = self.vector_type.shape
        *offsets, spread = indices
        found = [np.reshape(offset, (-1, *(1 for _ in shape))) for offset in offsets]
        return [*found[:-1], found[-1] + spread.astype(np.int64).reshape(-1, *shape)]

    def check_access(self, words: str, report: Report) -> None:
        """Upstream's rules, in upstream's order and words; `words` names the vector that moves."""
        memory, vector = self.memref_type, self.vector_type
        if memory.element != vector.element:
            self.error(report, f"base and {words} element type should match, found {memory} and {vector}")
        elif len(self.offsets) != memory.rank:
            self.error(report, f"requires {memory.rank} indices for {memory}, found {len(self.offsets)}")
        elif memory.rank == 0:
            self.error(report, f"base {memory} has no dim that the index vector could count along")
        elif shape_of(self.index_vec.type) != vector.shape:
            self.error(report, f"expected {words} dim to match indices dim, found {vector} and {self.index_vec.type}")
        elif self.mask.type.shape != vector.shape:
            self.error(report, f"expected {words} dim to match mask dim, found {vector} and {self.mask.type}")
        check_alignment(self, self.alignment, report)


def check_pass_thru(op: Operation, pass_thru: Type, result: Type, report: Report) -> None:
    if pass_thru != result:
        op.error(report, f"expected pass_thru of same type as result type, found {pass_thru} and {result}")


class GatherOp(GatherScatterOp, Maskable, opname="vector.gather"):
    """`pass_thru` where the mask is off, or that of a vector.mask around it."""

    joins_masks = True
    base = operand(is_memref, READS)
    offsets = operands(is_index)
    index_vec = operand(is_index_vector)
    mask = operand(is_mask)
    pass_thru = operand(is_vector)
    result_ = result(is_vector, like="pass_thru")
    assembly = (
        f"$base `` `[` $offsets `]` `` `[` $index_vec `]` `,` $mask `,` $pass_thru {ALIGNMENT} attr-dict"
        " `:` type($base) `,` type($index_vec) `,` type($mask) `,` type($pass_thru) `into` type($result)"
    )

    @property
    def vector_type(self) -> VectorType:
        return self.result_.type

    def mask_shape(self) -> tuple[int, ...]:
        return self.result_.type.shape

    def verify(self, report: Report) -> None:
        self.check_access("result", report)
        check_pass_thru(self, self.pass_thru.type, self.result_.type, report)


class ScatterOp(GatherScatterOp, opname="vector.scatter"):
    """`lanewise.distinct` promises that no two elements that are written have one place: no order has to be kept."""

    base = operand(is_memref, WRITES)
    offsets = operands(is_index)
    index_vec = operand(is_index_vector)
    mask = operand(is_mask)
    value = operand(is_vector)
    assembly = (
        f"$base `` `[` $offsets `]` `` `[` $index_vec `]` `,` $mask `,` $value {ALIGNMENT} attr-dict"
        " `:` type($base) `,` type($index_vec) `,` type($mask) `,` type($value)"
    )

    @property
    def vector_type(self) -> VectorType:
        return self.value.type

    @property
    def is_distinct(self) -> bool:
        return DISTINCT in self.attributes

    def verify(self, report: Report) -> None:
        self.check_access("valueToStore", report)
