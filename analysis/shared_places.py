"""Where the workgroup's buffers lie in its memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import TypeVar

from ..ir.dialects.memref import AllocOp
from ..ir.element_orders import order_of
from ..ir.tensor_orders import tensor_order
from ..ir.types import memory_bits

LEAST_ALIGNMENT = 16
"""So that every buffer takes the widest accesses."""
_WORD_BITS = 32
Buffer = TypeVar("Buffer")


def bytes_of(op: AllocOp) -> tuple[int, int]:
    """Size and alignment of an allocation of static extents. Elements of less than a byte may be written by updates of
    the words that they are in."""
    type = op.memref.type
    bits = memory_bits(type.element)
    unit = 8 if bits >= 8 else _WORD_BITS
    size = -(-prod(n or 0 for n in type.shape) * bits // unit) * unit // 8
    asked, tensor = op.alignment.value if op.alignment is not None else 1, tensor_order(type, order_of(op))
    return size, max(asked, 1 if tensor is None else tensor.alignment, LEAST_ALIGNMENT)


def placed(sizes: Mapping[Buffer, tuple[int, int]], apart: Callable[[Buffer, Buffer], bool]) -> dict[Buffer, int]:
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
