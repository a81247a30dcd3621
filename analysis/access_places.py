"""Where in its buffer an access of the thread's program goes, in every thread."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..ir.core import Operation, Value
from ..ir.dialects import memref, memref_views, nvgpu, vector
from ..ir.dialects.memref import memref_type
from ..ir.dialects.nvvm_cluster import MapaOp
from ..ir.dialects.vector_memory import MemoryOp
from ..ir.effects import accesses, viewed
from ..ir.numerics import Array
from ..ir.types import MemRefType, memory_bits
from ..support.named_tuples import NamedTuple
from .thread_numbers import Number, ThreadNumbers

_ROW_BITS = 128
"""What ldmatrix reads from the address of one thread."""
_ZERO = Number(frozenset(), 0)

Indices = Sequence[Number | None]


class Place(NamedTuple):
    """One number a dimension, or None where nothing is known; elements along the last; threads that may be there."""

    numbers: tuple[Number, ...] | None
    width: int
    threads: Array


class Places:
    """Finds them. What is seen through views is counted in units of bits, what has known strides in elements."""

    def __init__(self, numbers: ThreadNumbers, views: Iterable[memref.ViewOp]) -> None:
        """`views`: all of the program; a buffer is counted in the least elements that they see in it."""
        self._numbers = numbers
        self._everyone: Array = np.ones(numbers.threads, np.bool_)
        self._units: dict[Value, int] = {}
        for op in views:
            size = memory_bits(op.result_.type.element)
            self._units[op.source] = min(size, self._units.get(op.source, size))

    def of(self, op: Operation, buffers: frozenset[Value]) -> Place:
        """The place of a memory operation in its buffer, one of `buffers`."""
        threads = self._threads(op)
        buffer, *others = (access.memref for access in accesses(op))
        indices = [self._numbers.of(v) for v in getattr(op, "indices", ())]
        if others or len(indices) != memref_type(buffer).rank:
            return Place(None, 1, threads)
        root, found, width = self._through_views(buffer, indices, _width(op))
        numbers = tuple(n for n in found if n is not None)
        known = len(numbers) == len(found) and all(b is root or _alike(root, b) for b in buffers)
        return Place(numbers if known else None, width, threads)

    def _threads(self, op: Operation) -> Array:
        mask = op.mask_or_none if isinstance(op, MemoryOp) else None
        return self._everyone if mask is None else self._numbers.may_hold(mask)

    def _through_views(self, buffer: Value, indices: Indices, width: int) -> tuple[Value, Indices, int]:
        """The buffer that was allocated or passed, the place there, and its elements."""
        through_view = False
        while True:
            match buffer.operation:
                case (
                    memref.CastOp(source=source)
                    | memref.AssumeAlignmentOp(memref=source)
                    | memref_views.MemorySpaceCastOp(source=source)
                    | MapaOp(a=source)
                ):
                    buffer = source
                case memref_views.ReinterpretCastOp() | memref_views.ExtractStridedMetadataOp() as op:
                    number, base = self._from_base(op, indices), _base(op.source)
                    rank = memref_type(base).rank
                    if not isinstance(base.operation, memref.ViewOp) or not rank:
                        known = not through_view and base not in self._units and viewed(base) is None
                        return base, [_from_first(base, number) if known else None], width
                    buffer, indices = base, [*[_ZERO] * (rank - 1), number]  # rows of a view are without gaps
                case memref.SubViewOp() as op:
                    buffer, indices = op.source, self._in_source(op, indices)
                case memref.ViewOp() as op:
                    unit, through_view = self._units[op.source], True
                    size = memory_bits(op.result_.type.element) // unit
                    start, buffer = self._numbers.of(op.byte_shift), op.source
                    bits = None if start is None else start.times(8)
                    indices, width = (
                        [_plus(_divided(bits, unit), _linear(op.result_.type, indices, size))],
                        width * size,
                    )
                case _:
                    if through_view != (buffer in self._units):  # counted in other units than the rest
                        return buffer, [None], width
                    type = memref_type(buffer)
                    linear = _linear(type, indices, 1)
                    return buffer, indices if linear is None and type.rank else [linear], width

    def _from_base(self, op: Operation, indices: Indices) -> Number | None:
        """The number of an element from where the buffer starts, of a view that says so outright."""
        if not isinstance(op, memref_views.ReinterpretCastOp):
            return _ZERO
        offset, _, strides = op.mixed()
        total = self._number(offset)
        for index, stride in zip(indices, strides, strict=True):
            total = _plus(total, _times(index, stride))
        return total

    def _number(self, entry: int | Value) -> Number | None:
        return Number(frozenset(), entry) if isinstance(entry, int) else self._numbers.of(entry)

    def _in_source(self, op: memref.SubViewOp, indices: Indices) -> Indices:
        offsets, _, strides = op.mixed()
        kept, rest = op.kept_dims(), iter(indices)
        found: list[Number | None] = []
        for dim, (offset, stride) in enumerate(zip(offsets, strides, strict=True)):
            steps = _times(next(rest), stride) if dim in kept else _ZERO
            found.append(_plus(self._number(offset), steps))
        return found


def _base(buffer: Value) -> Value:
    """What a memref starts at the same byte as: its buffer, or a view that is shifted against it."""
    while not isinstance(buffer.operation, memref.ViewOp) and (source := viewed(buffer)) is not None:
        buffer = source
    return buffer


def _from_first(buffer: Value, number: Number | None) -> Number | None:
    """Counted from the buffer's first element instead of its start; None where that is not known."""
    type = memref_type(buffer)
    strides, offset = type.strides_and_offset()
    return None if offset is None or None in strides or number is None else number.plus(Number(frozenset(), -offset))


def _alike(handed_on: Value, buffer: Value) -> bool:
    """Whether a memref that a loop or branch hands on is a whole buffer, if it is that one: views have other types."""
    type = memref_type(handed_on)
    return type.layout is None and type == buffer.type


def _plus(a: Number | None, b: Number | None) -> Number | None:
    return None if a is None or b is None else a.plus(b)


def _times(a: Number | None, factor: int | Value) -> Number | None:
    return a.times(factor) if a is not None and isinstance(factor, int) else None


def _divided(a: Number | None, divisor: int) -> Number | None:
    """None where that leaves a rest."""
    if a is None or a.terms or (a.known % divisor if isinstance(a.known, int) else (a.known % divisor).any()):
        return None
    return Number(frozenset(), a.known // divisor)


def _linear(type: MemRefType, indices: Indices, unit: int) -> Number | None:
    """The number of an element from the buffer's first, times `unit`; None where strides or indices are not known."""
    strides, _ = type.strides_and_offset()
    total: Number | None = _ZERO
    for index, stride in zip(indices, strides, strict=True):
        total = _plus(total, None if index is None or stride is None else index.times(stride * unit))
    return total


def _width(op: Operation) -> int:
    """Elements that an access has along the last dimension."""
    match op:
        case vector.LoadOp() | vector.StoreOp() | vector.MaskedLoadOp() | vector.MaskedStoreOp():
            return op.vector_type.elements
        case nvgpu.LdMatrixOp():
            return _ROW_BITS // memory_bits(op.srcMemref.type.element)
        case nvgpu.StMatrixOp():
            return _ROW_BITS // memory_bits(op.destMemref.type.element)
        case _:
            return 1
