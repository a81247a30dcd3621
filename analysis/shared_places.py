"""Where the workgroup's buffers and barrier objects lie in its memory, and how many bytes they take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import prod
from typing import TypeVar

from ..ir.analyses import Analyses
from ..ir.core import Operation
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.memref import AllocOp
from ..ir.dialects.nvgpu_mbarrier import MBarrierCreateOp
from ..ir.element_orders import order_of
from ..ir.memory_spaces import is_workgroup
from ..ir.tensor_orders import tensor_order
from ..ir.types import MemRefType, memory_bits
from ..support.named_tuples import NamedTuple
from .lifetimes import Lifetimes

LEAST_ALIGNMENT = 16
"""Bytes, so that every buffer takes the widest accesses."""
_WORD_BITS = 32
_OBJECT_BYTES = 8
"""What a barrier object takes."""
Buffer = TypeVar("Buffer")


class Extent(NamedTuple):
    """Bytes, and of what the first one's place is a multiple."""

    bytes: int
    alignment: int


def size_of(type: MemRefType) -> int:
    """Bytes of a buffer of static extents. Elements of less than a byte may be written by updates of the words that
    they are in."""
    bits = memory_bits(type.element)
    unit = 8 if bits >= 8 else _WORD_BITS
    return -(-prod(n or 0 for n in type.shape) * bits // unit) * unit // 8


def extent_of(op: Operation) -> Extent:
    """What an allocation of static extents takes, or a group of barrier objects."""
    if isinstance(op, MBarrierCreateOp):
        return Extent(op.barriers.type.count * _OBJECT_BYTES, LEAST_ALIGNMENT)
    assert isinstance(op, AllocOp), op.opname
    type = op.memref.type
    asked, tensor = op.alignment.value if op.alignment is not None else 1, tensor_order(type, order_of(op))
    return Extent(size_of(type), max(asked, 1 if tensor is None else tensor.alignment, LEAST_ALIGNMENT))


class SharedBytes:
    """How many bytes of shared memory a function's own buffers and barrier objects take, where those that are never in
    use at once share some (`distribute/reuse.py` makes sure of it where they would not fit otherwise)."""

    def __init__(self, extents: Mapping[Operation, Extent], apart: Callable[[Operation, Operation], bool]) -> None:
        self.taken = bytes_taken(extents, apart)
        self._step = max((extent.alignment for extent in extents.values()), default=LEAST_ALIGNMENT)

    @classmethod
    def of_function(cls, function: Operation, analyses: Analyses) -> SharedBytes:
        extents = extents_of(function)
        if len(extents) < 2 or not isinstance(function, FunctionLike):
            return cls(extents, lambda a, b: False)
        return cls(extents, partial(analyses.get(Lifetimes, function).apart, with_barrier=False))

    def left_of(self, limit: int) -> int:
        """Bytes that one more buffer may have, wherever it is placed among them."""
        return max(0, (limit - self.taken) // self._step * self._step)


def bytes_taken(extents: Mapping[Operation, Extent], apart: Callable[[Operation, Operation], bool]) -> int:
    """Bytes that buffers and barrier objects take, where those that are `apart` share some."""
    places = placed(extents, apart)
    return max((places[op] + extents[op].bytes for op in extents), default=0)


def extents_of(function: Operation) -> Mapping[Operation, Extent]:
    """A function's buffers of shared memory, then its barrier objects: in the order in which code places them, which
    decides what lies between them to keep alignments."""
    buffers = (op for op in function.all_of(AllocOp) if is_workgroup(op.memref.type.memory_space))
    return {op: extent_of(op) for op in (*buffers, *function.all_of(MBarrierCreateOp))}


def placed(sizes: Mapping[Buffer, Extent], apart: Callable[[Buffer, Buffer], bool]) -> dict[Buffer, int]:
    """The first byte of each, by its size and alignment: the lowest where no other is, but those that are `apart`.
    Those that share nothing come last, so that none lies between what does."""
    places: dict[Buffer, int] = {}
    shares = {op: any(other is not op and apart(op, other) for other in sizes) for op in sizes}
    for op in sorted(sizes, key=lambda op: not shares[op]):
        size, alignment = sizes[op]
        taken = sorted(
            (at, at + sizes[other][0]) for other, at in places.items() if sizes[other][0] and not apart(op, other)
        )
        start = 0
        for first, end in taken:
            if first < start + size:
                start = max(start, -(-end // alignment) * alignment)
        places[op] = start
    return places
