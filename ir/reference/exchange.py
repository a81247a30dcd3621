"""What lanes of a subgroup give each other in the reference: shuffles and reductions over clusters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..dialects import gpu
from ..dialects.vector import CombiningKindAttr
from ..numerics import Array
from .errors import failure
from .program import Meeting

Received = list[tuple[Array, ...]]
"""The results of each lane, by lane."""


def exchange(meetings: Sequence[Meeting]) -> Received:
    """The outcome of one operation that all lanes of a subgroup have reached; `meetings` by lane."""
    op = meetings[0].op
    if isinstance(op, gpu.ShuffleOp):
        return _shuffle(op, meetings)
    assert isinstance(op, gpu.SubgroupReduceOp)
    return [(value,) for value in _reduce(op, [m.payload[0] for m in meetings])]


_SOURCES: dict[str, Callable[[int, int], int]] = {
    "xor": lambda lane, offset: lane ^ offset,
    "up": lambda lane, offset: lane - offset,
    "down": lambda lane, offset: lane + offset,
    "idx": lambda lane, offset: offset,
}


def _shuffle(op: gpu.ShuffleOp, meetings: Sequence[Meeting]) -> Received:
    received: Received = []
    for lane, meeting in enumerate(meetings):
        value, offset, width = meeting.payload
        first = lane - lane % _width(op, int(width), len(meetings))
        inner = _SOURCES[op.mode.value](lane - first, int(offset))
        valid = 0 <= inner < int(width)
        received.append((meetings[first + inner].payload[0] if valid else value, np.array(valid)))
    return received


def _width(op: gpu.ShuffleOp, width: int, lanes: int) -> int:
    if width <= 0 or lanes % width:
        raise failure(op, f"has width {width} in a subgroup of {lanes} lanes: it must divide that")
    return width


def _reduce(op: gpu.SubgroupReduceOp, values: list[Array]) -> list[Array]:
    """A butterfly from the lowest stride, so that the order of additions is that of the machine code."""
    combine: Callable[[Any, Any], Any] = CombiningKindAttr(op.op.value).combine
    stride = op.cluster_stride.value
    size = op.cluster_size.value if op.cluster_size is not None else len(values)
    if size * stride > len(values):
        raise failure(op, f"has clusters of {size} lanes, {stride} apart, in a subgroup of {len(values)} lanes")
    step = stride
    with np.errstate(all="ignore"):
        while step < size * stride:
            values = [np.asarray(combine(v, values[lane ^ step])) for lane, v in enumerate(values)]
            step *= 2
    return values
