"""vector: load and store of contiguous slices, whole or masked.

The vector's dims are the last dims of the memref, starting at the given indices. `alignment` is a promise in bytes
about the address of the first element; without it the address is a multiple of the element's size.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ...support.diagnostics import Report
from ..affine import AffineMap
from ..attributes import IntegerAttr
from ..core import Operation, Value
from ..define import (
    OperandField,
    carried_attribute,
    is_index,
    is_mask,
    is_memref,
    is_vector,
    operand,
    operands,
    optional_attribute,
    optional_int_attribute,
    result,
)
from ..fields import AttributeField
from ..numerics import Array
from ..traits import NOTHING, READS, WRITES
from ..types import I1, IndexType, MemRefType, VectorType, element_type, scalar_type, shape_of

_ALIGNED = "(`alignment` `=` $alignment^)?"
_HINTS = f"{_ALIGNED} (`nontemporal` `=` $nontemporal^)?"


class MemoryOp(Operation):
    """What loads and stores share."""

    pure = False
    alignment = optional_int_attribute()

    nontemporal: ClassVar[AttributeField[IntegerAttr | None]]
    memref: ClassVar[OperandField[Value[MemRefType]]]
    indices: ClassVar[OperandField[tuple[Value[IndexType], ...]]]

    @property
    def memref_type(self) -> MemRefType:
        return self.memref.type

    @property
    def vector_type(self) -> VectorType:
        """The type of the vector that moves."""
        raise AssertionError

    @property
    def mask_or_none(self) -> Value[VectorType] | None:
        """None where there is none."""
        return None

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents that run along memref dims: the vector's, less those of a memref of vectors."""
        vector = self.vector_type
        return vector.shape[: vector.rank - len(shape_of(self.memref_type.element))]

    @property
    def map(self) -> AffineMap:
        """The vector's dims are the last of the memref."""
        return AffineMap.minor_identity(self.memref_type.rank, len(self.shape))

    @property
    def in_bounds_flags(self) -> tuple[bool, ...]:
        return (True,) * len(self.shape)

    def coordinates(self, indices: Sequence[int], extents: Sequence[int]) -> tuple[tuple[Array, ...], Array]:
        """For each element of the vector, its index in every memref dim (int64) and whether that is inside."""
        shape = self.shape
        place = [np.broadcast_to(np.int64(i), shape) for i in indices]
        for axis, extent in enumerate(shape):
            along = np.arange(extent, dtype=np.int64).reshape((-1,) + (1,) * (len(shape) - 1 - axis))
            place[axis - len(shape)] = place[axis - len(shape)] + along
        inside = np.ones(shape, np.bool_)
        for index, extent in zip(place, extents, strict=True):
            inside &= (index >= 0) & (index < extent)
        return tuple(place), inside

    def verify(self, report: Report) -> None:
        memory, vector = self.memref_type, self.vector_type
        if len(self.indices) != memory.rank:
            self.error(report, f"needs {memory.rank} indices for {memory}, found {len(self.indices)}")
        elif element_type(memory.element) != vector.element:
            self.error(report, f"element types differ: {memory} and {vector}")
        elif memory.element.is_vector and (self.mask_or_none is not None or vector != memory.element):
            words = "moves one element" if self.mask_or_none is None else "moves no vectors of a memref under a mask"
            self.error(report, f"{words}: found {memory} and {vector}", hint="vector.transfer_read moves several")
        elif vector.rank > memory.rank:
            self.error(report, f"{vector} has more dims than {memory}")
        self._check_stride(report)
        check_alignment(self, self.alignment, report)

    def _check_stride(self, report: Report) -> None:
        strides, _ = self.memref_type.strides_and_offset()
        if strides and strides[-1] not in (1, None):
            self.error(
                report, f"the last dimension of {self.memref_type} has stride {strides[-1]}, it must be contiguous"
            )

    def check_mask(self, mask: Value, report: Report) -> None:
        expected = VectorType(self.vector_type.shape, I1)
        if mask.type != expected:
            self.error(report, f"mask must be {expected}, found {mask.type}")


def check_alignment(op: Operation, alignment: int | None, report: Report) -> None:
    if alignment is not None and (alignment <= 0 or alignment & (alignment - 1)):
        op.error(report, f"alignment must be a power of two in bytes, found {alignment}")


class LoadOp(MemoryOp, opname="vector.load"):
    memref = operand(is_memref, READS)
    indices = operands(is_index)
    nontemporal = optional_attribute(IntegerAttr)
    result_ = result(is_vector)
    assembly = f"$memref `` `[` $indices `]` {_HINTS} attr-dict `:` type($memref) `,` type($result)"

    @property
    def vector_type(self) -> VectorType:
        return self.result_.type


class StoreOp(MemoryOp, opname="vector.store"):
    value = operand(is_vector)
    memref = operand(is_memref, WRITES)
    indices = operands(is_index)
    nontemporal = optional_attribute(IntegerAttr)
    assembly = f"$value `,` $memref `` `[` $indices `]` {_HINTS} attr-dict `:` type($memref) `,` type($value)"

    @property
    def vector_type(self) -> VectorType:
        return self.value.type


class MaskedLoadOp(MemoryOp, opname="vector.maskedload"):
    """`pass_thru` where the mask is false; nothing is read there, so it may lie outside the memref."""

    memref = operand(is_memref, READS)
    indices = operands(is_index)
    mask = operand(is_mask)
    pass_thru = operand(is_vector)
    nontemporal = carried_attribute(IntegerAttr)
    result_ = result(is_vector)
    same_type = ("pass_thru", "result")
    assembly = (
        f"$memref `` `[` $indices `]` `,` $mask `,` $pass_thru {_ALIGNED} attr-dict"
        " `:` type($memref) `,` type($mask) `,` type($pass_thru) `into` type($result)"
    )

    @property
    def vector_type(self) -> VectorType:
        return self.result_.type

    @property
    def mask_or_none(self) -> Value[VectorType]:
        return self.mask

    def verify(self, report: Report) -> None:
        super().verify(report)
        self.check_mask(self.mask, report)


class MaskedStoreOp(MemoryOp, opname="vector.maskedstore"):
    """Nothing is written where the mask is false."""

    memref = operand(is_memref, WRITES)
    indices = operands(is_index)
    mask = operand(is_mask)
    value = operand(is_vector)
    nontemporal = carried_attribute(IntegerAttr)
    assembly = (
        f"$memref `` `[` $indices `]` `,` $mask `,` $value {_ALIGNED} attr-dict"
        " `:` type($memref) `,` type($mask) `,` type($value)"
    )

    @property
    def vector_type(self) -> VectorType:
        return self.value.type

    @property
    def mask_or_none(self) -> Value[VectorType]:
        return self.mask

    def verify(self, report: Report) -> None:
        super().verify(report)
        self.check_mask(self.mask, report)


class TypeCastOp(Operation, opname="vector.type_cast"):
    """The same buffer with some of its last dims in its elements: vectors are row-major in memory."""

    pure = True
    memref = operand(is_memref, NOTHING)
    result_ = result(is_memref, view_of="memref")
    assembly = "$memref attr-dict `:` type($memref) `to` type($result)"

    def verify(self, report: Report) -> None:
        source, target = self.memref.type, self.result_.type
        if None in source.shape or None in target.shape:
            self.error(report, f"casts memrefs of static shape, found {source} to {target}")
        elif source.layout is not None or target.layout is not None:
            self.error(report, f"expects memrefs with identity layout, found {source} to {target}")
        elif source.memory_space != target.memory_space:
            self.error(report, f"expects result in same memory space, found {source} to {target}")
        elif scalar_type(source.element) != scalar_type(target.element):
            self.error(
                report, f"expects result and operand with same underlying scalar type, found {source} to {target}"
            )
        elif _all_extents(source) != _all_extents(target):
            message = "expects concatenated result and operand shapes to be equal"
            self.error(report, f"{message}, found {list(_all_extents(source))} and {list(_all_extents(target))}")


def _all_extents(memory: MemRefType) -> tuple[int | None, ...]:
    return (*memory.shape, *shape_of(memory.element))
