"""memref: buffers, views of them, and access to single elements.

Strides and offsets count elements. Views share the memory of what they view.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, ClassVar

from ...support.diagnostics import Report
from ..attributes import IntegerAttr
from ..core import Operation, Value
from ..define import (
    OperandField,
    attribute,
    int_attribute,
    is_index,
    is_memref,
    operand,
    operands,
    optional_attribute,
    result,
    scalar_like,
)
from ..dynamic_index_list import Rectangle, check_lists, rectangle
from ..traits import FREES, NOTHING, READS, UPDATES, WRITES
from ..types import (
    I8,
    I32,
    Attribute,
    MemRefType,
    StridedLayout,
    Type,
    element_count,
    memory_bits,
    scalar_type,
)
from .atomic_kind import AtomicRMWKindAttr, kinds_for

PRIVATE_MEMORY = ("#gpu.address_space<private>", "5 : i64", "5")
"""How types name the memory of one thread."""


def memref_type(value: Value) -> MemRefType:
    """The type of a value that is known to be a memref."""
    assert isinstance(value.type, MemRefType)
    return value.type


class AllocOp(Operation, opname="memref.alloc"):
    """A buffer: of the workgroup in `#gpu.address_space<workgroup>`, of the thread in `<private>`.

    `dynamic_sizes` give the extents that the type leaves open, in order; `alignment` is in bytes. The contents are
    undefined until they are written.
    """

    pure = False
    makes_memory = True
    dynamic_sizes = operands(is_index)
    alignment = optional_attribute(IntegerAttr)
    memref = result(is_memref)
    default_private: ClassVar[bool] = False
    """Whether it is a thread's where the type does not say."""
    assembly = "`` `(` $dynamic_sizes `)` (`alignment` `=` $alignment^)? attr-dict `:` type($memref)"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Upstream also counts symbol operands, those of affine layouts, which lanewise's memrefs do not have.
        self.segments = (len(self.operands), 0)

    @classmethod
    def property_names(cls) -> list[str]:
        return [*super().property_names(), "operandSegmentSizes"]

    @property
    def is_private(self) -> bool:
        """Whether each thread has its own."""
        space = self.memref.type.memory_space
        return self.default_private if space is None else str(space) in PRIVATE_MEMORY

    def verify(self, report: Report) -> None:
        type = self.memref.type
        check_count(self, len(self.dynamic_sizes), "sizes", type, report)
        check_alignment(self, self.alignment, report)
        if isinstance(type.layout, StridedLayout):
            self.error(report, f"allocates row-major buffers, found {type}")


class DeallocOp(Operation, opname="memref.dealloc"):
    """The end of a buffer's life; workgroup memory is static, so nothing happens."""

    pure = False
    memref = operand(is_memref, FREES)
    assembly = "$memref attr-dict `:` type($memref)"


_HINTS = "(`alignment` `` `(` $alignment^ `)`)? (`nontemporal` `` `(` $nontemporal^ `)`)?"


class LoadOp(Operation, opname="memref.load"):
    """One element; every index is in bounds."""

    pure = False
    memref = operand(is_memref, READS)
    indices = operands(is_index)
    alignment = optional_attribute(IntegerAttr)
    nontemporal = optional_attribute(IntegerAttr)
    result_ = result(scalar_like)
    assembly = f"$memref `` `[` $indices `]` {_HINTS} attr-dict `:` type($memref)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [memref_type(operands[0]).element]

    def verify(self, report: Report) -> None:
        check_rank(self, self.memref, len(self.indices), report)
        check_element(self, self.memref, self.result_, "result", report)


class StoreOp(Operation, opname="memref.store"):
    """Writes one element; every index is in bounds."""

    pure = False
    value = operand(scalar_like)
    memref = operand(is_memref, WRITES)
    indices = operands(is_index)
    alignment = optional_attribute(IntegerAttr)
    nontemporal = optional_attribute(IntegerAttr)
    assembly = f"$value `,` $memref `` `[` $indices `]` {_HINTS} attr-dict `:` type($memref)"

    def verify(self, report: Report) -> None:
        check_rank(self, self.memref, len(self.indices), report)
        check_element(self, self.memref, self.value, "value", report)


class AtomicRMWOp(Operation, opname="memref.atomic_rmw"):
    """Joins one element with `value` as `kind` says, in one step that no other atomic update of it divides.

    The result is the element before; every index is in bounds. No other access is ordered by it.
    """

    pure = False
    kind = attribute(AtomicRMWKindAttr)
    value = operand(scalar_like)
    memref = operand(is_memref, UPDATES)
    indices = operands(is_index)
    result_ = result(scalar_like)
    same_type = ("value", "result")
    assembly = (
        "keyword($kind) $value `,` $memref `` `[` $indices `]` attr-dict "
        "`:` `(` type($value) `,` type($memref) `)` `->` type($result)"
    )

    @property
    def joins_in_any_order(self) -> bool:
        return self.kind.rounds

    def verify(self, report: Report) -> None:
        check_rank(self, self.memref, len(self.indices), report)
        check_element(self, self.memref, self.value, "value", report)
        element, kind = self.memref.type.element, self.kind.value
        kinds = kinds_for(element)
        if kind not in kinds:
            hint = f"kinds for {element}: {', '.join(kinds)}" if kinds else "elements must be scalars"
            self.error(report, f"kind '{kind}' does not apply to {element}", hint)


class DimOp(Operation, opname="memref.dim"):
    """The extent of dimension `index`."""

    pure = True
    memref = operand(is_memref, NOTHING)
    index = operand(is_index)
    result_ = result(is_index)
    assembly = "$memref `,` $index attr-dict `:` type($memref)"

    @property
    def speculatable(self) -> bool:
        """Where the dimension is a constant, and there is one."""
        from .constants import constant_int

        number = constant_int(self.index)
        return number is not None and 0 <= number < self.memref.type.rank

    def verify(self, report: Report) -> None:
        from .constants import constant_int

        rank, number = self.memref.type.rank, constant_int(self.index)
        if not rank:
            self.error(report, f"asks for an extent of {self.memref.type}, which has none")
        if number is not None and not 0 <= number < rank:
            self.error(report, f"asks for dimension {number} of a memref of rank {rank}")


class SubViewOp(Rectangle, opname="memref.subview"):
    """The rectangle of `sizes` at `offsets` with `strides`, each a number or a value per dimension of the source.

    The result may leave out dimensions of size 1.
    """

    pure = True
    source = operand(is_memref, NOTHING)
    offsets = operands(is_index)
    sizes = operands(is_index)
    strides = operands(is_index)
    result_ = result(is_memref, view_of="source")
    assembly = f"$source `` {rectangle(' `` ')} attr-dict `:` type($source) `to` type($result)"

    def kept_dims(self) -> tuple[int, ...]:
        """The dimensions of the source that the result has, in order; the others have size 1."""
        dims = _kept_dims(self.inferred_type(), self.result_.type)
        assert dims is not None
        return dims

    def inferred_type(self) -> MemRefType:
        """The type with all dimensions of the source."""
        return subview_type(self.source.type, self.static_offsets, self.static_sizes, self.static_strides)

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        probe = cls(operands, (), attributes)
        return [probe.inferred_type()]

    def verify(self, report: Report) -> None:
        rank = self.source.type.rank
        if check_lists(self, self.groups, rank, f"a source of rank {rank}", report):
            self._verify_bounds(report)
            self._verify_type(report)

    def _verify_bounds(self, report: Report) -> None:
        """A rectangle that is known to leave the source is an error here; others are the program's promise."""
        lists = zip(self.static_offsets, self.static_sizes, self.static_strides, self.source.type.shape, strict=True)
        for dim, (offset, size, stride, extent) in enumerate(lists):
            if (offset or 0) < 0 or (size or 0) < 0:
                self.error(report, f"offset and size of dimension {dim} must not be negative, found {offset}, {size}")
            elif size and offset is not None and stride is not None and extent is not None:
                last = offset + (size - 1) * stride
                if not 0 <= last < extent:
                    self.error(report, f"reaches index {last} of dimension {dim}, whose extent is {extent}")

    def _verify_type(self, report: Report) -> None:
        inferred, found = self.inferred_type(), self.result_.type
        if _kept_dims(inferred, found) is None:
            self.error(report, f"result must be {inferred}, or that without dimensions of size 1, found {found}")


def subview_type(
    source: MemRefType,
    offsets: Sequence[int | None],
    sizes: Sequence[int | None],
    strides: Sequence[int | None],
) -> MemRefType:
    """The type of a rectangle of `source`; None stands for a number known only at run time."""
    source_strides, offset = source.strides_and_offset()
    steps = [_times(s, t) for s, t in zip(source_strides, strides, strict=True)]
    for start, stride in zip(offsets, source_strides, strict=True):
        shift = _times(start, stride)
        offset = None if offset is None or shift is None else offset + shift
    return MemRefType(tuple(sizes), source.element, StridedLayout(tuple(steps), offset), source.memory_space)


def _times(a: int | None, b: int | None) -> int | None:
    return 0 if a == 0 or b == 0 else None if a is None or b is None else a * b


def _kept_dims(full: MemRefType, reduced: MemRefType) -> tuple[int, ...] | None:
    """Which dimensions of `full` make up `reduced`, leaving out only those of size 1; None when none do."""
    strides, offset = full.strides_and_offset()
    found_strides, found_offset = reduced.strides_and_offset()
    if (full.element, full.memory_space, offset) != (reduced.element, reduced.memory_space, found_offset):
        return None
    units = [d for d, n in enumerate(full.shape) if n == 1]
    for dropped in combinations(units, max(full.rank - reduced.rank, 0)):
        dims = tuple(d for d in range(full.rank) if d not in dropped)
        if tuple(full.shape[d] for d in dims) == reduced.shape and tuple(strides[d] for d in dims) == found_strides:
            return dims
    return None


class ViewOp(Operation, opname="memref.view"):
    """A row-major memref in a buffer of bytes, `byte_shift` bytes from its start."""

    pure = True
    source = operand(is_memref, NOTHING)
    byte_shift = operand(is_index)
    sizes = operands(is_index)
    result_ = result(is_memref, view_of="source")
    assembly = "$source `` `[` $byte_shift `]` `` `[` $sizes `]` attr-dict `:` type($source) `to` type($result)"

    def verify(self, report: Report) -> None:
        source, type = self.source.type, self.result_.type
        if source.rank != 1 or source.element != I8 or source.layout is not None:
            self.error(report, f"source must be a contiguous memref<nxi8>, found {source}")
        elif type.layout is not None:
            self.error(report, f"result must be row-major without a layout, found {type}")
        elif type.memory_space != source.memory_space:
            self.error(report, f"source {source} and result {type} are in different memory spaces")
        else:
            check_count(self, len(self.sizes), "sizes", type, report)
            self._verify_bytes(source, type, report)

    def _verify_bytes(self, source: MemRefType, type: MemRefType, report: Report) -> None:
        if not type.element.is_vector and memory_bits(type.element) < 8:
            self.error(report, f"bytes are not seen as {type.element}, of which one holds several: use vector.bitcast")
        needed, available = byte_size(type), source.shape[0]
        if needed is not None and available is not None and needed > available:
            self.error(report, f"result has {needed} bytes, the buffer {available}")


def byte_size(type: MemRefType) -> int | None:
    """Bytes of a contiguous memref, None when an extent is dynamic."""
    count, bits = element_count(type.element), memory_bits(scalar_type(type.element))
    extents = [n for n in type.shape if n is not None]
    return None if len(extents) != type.rank else -(-math.prod(extents) * count * bits // 8)


class AssumeAlignmentOp(Operation, opname="memref.assume_alignment"):
    """States that the memref's first element lies at a multiple of `alignment` bytes; the result is the memref.

    Older texts have no result and mean the operand: the statement holds for both.
    """

    pure = False
    memref = operand(is_memref, NOTHING)
    alignment = int_attribute(number=I32)
    result_ = result(is_memref, view_of="memref")
    same_type = ("memref", "result")
    assembly = "$memref `,` $alignment attr-dict `:` type($memref)"

    def verify(self, report: Report) -> None:
        value = self.attributes["alignment"]
        assert isinstance(value, IntegerAttr)
        check_alignment(self, value, report)


class RetypingOp(Operation):
    """The same memory, seen under another type."""

    source: ClassVar[OperandField[Value[MemRefType]]]


class CastOp(RetypingOp, opname="memref.cast"):
    """The same memref under a type that knows more or less of its extents and strides."""

    pure = True
    source = operand(is_memref, NOTHING)
    result_ = result(is_memref, view_of="source")
    assembly = "$source attr-dict `:` type($source) `to` type($result)"

    def verify(self, report: Report) -> None:
        source, target = self.source.type, self.result_.type
        if not cast_compatible(source, target):
            self.error(report, f"{source} cannot be seen as {target}: what both state must agree")


def cast_compatible(source: MemRefType, target: MemRefType) -> bool:
    """Whether element, memory space, and every extent, stride and offset that both types state agree."""
    if (source.element, source.memory_space, source.rank) != (target.element, target.memory_space, target.rank):
        return False
    (strides, offset), (other_strides, other_offset) = source.strides_and_offset(), target.strides_and_offset()
    pairs = zip((*source.shape, *strides, offset), (*target.shape, *other_strides, other_offset), strict=True)
    return all(a == b or a is None or b is None for a, b in pairs)


def check_rank(op: Operation, memref: Value[MemRefType], indices: int, report: Report) -> None:
    rank = memref.type.rank
    if indices != rank:
        op.error(report, f"has {indices} indices for a memref of rank {rank}")


def check_element(op: Operation, memref: Value[MemRefType], value: Value, words: str, report: Report) -> None:
    element = memref.type.element
    if value.type != element:
        op.error(report, f"{words} has type {value.type}, the memref's elements are {element}")


def check_count(op: Operation, count: int, words: str, type: MemRefType, report: Report) -> None:
    expected = len(type.dynamic_dims)
    if count != expected:
        op.error(report, f"has {count} {words}, {type} leaves {expected} open")


def check_alignment(op: Operation, alignment: IntegerAttr | None, report: Report) -> None:
    if alignment is not None and (alignment.value <= 0 or alignment.value & (alignment.value - 1)):
        op.error(report, f"alignment must be a power of two, found {alignment.value}")
