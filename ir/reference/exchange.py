"""What lanes of a subgroup give each other in the reference: shuffles and reductions over clusters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..dialects import gpu
from ..dialects.vector import CombiningKindAttr
from ..numerics import Array, spacing
from ..types import FloatType, element_type
from .errors import failure
from .program import Meeting
from .uncertainty import Maybe, Uncertainty, doubtful, nothing, settled

Received = list[list[tuple[Array, Maybe]]]
"""The results of each lane with their uncertainties, by lane."""


def exchange(meetings: Sequence[Meeting]) -> Received:
    """The outcome of one operation that all lanes of a subgroup have reached; `meetings` by lane."""
    op = meetings[0].op
    if isinstance(op, gpu.ShuffleOp):
        return _shuffle(op, meetings)
    assert isinstance(op, gpu.SubgroupReduceOp)
    values = [m.payload[0] for m in meetings]
    reduced = _reduce(op, values)
    uncertainties = [m.uncertainties[0] for m in meetings]
    if all(u is None for u in uncertainties):
        return [[(value, None)] for value in reduced]
    clusters = _clusters(op, len(values))
    return [
        [(value, _reduced([uncertainties[i] for i in cluster], [values[i] for i in cluster], value, op))]
        for value, cluster in zip(reduced, clusters, strict=True)
    ]


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
        source = meetings[first + inner] if valid else meeting
        uncertainty = source.uncertainties[0]
        if any(u is not None for u in meeting.uncertainties[1:]):
            uncertainty = doubtful(np.ones(np.shape(value), np.bool_))
        received.append([(source.payload[0], uncertainty), (np.array(valid), None)])
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


def _clusters(op: gpu.SubgroupReduceOp, lanes: int) -> list[list[int]]:
    """Those whose values reach each lane."""
    stride = op.cluster_stride.value
    size = op.cluster_size.value if op.cluster_size is not None else lanes
    return [[(lane & ~((size - 1) * stride)) + i * stride for i in range(size)] for lane in range(lanes)]


def _reduced(uncertainties: Sequence[Maybe], values: Sequence[Array], result: Array, op: gpu.SubgroupReduceOp) -> Maybe:
    """Every executor joins in this order, so that only inexact values bring errors in."""
    found = [nothing(np.shape(v)) if u is None else u for u, v in zip(uncertainties, values, strict=True)]
    doubt = np.any([u.undecided for u in found], axis=0)
    element = element_type(op.result_.type)
    if not isinstance(element, FloatType) or op.op.value == "mul":
        return doubtful(np.asarray(doubt | np.any([u.error > 0 for u in found], axis=0)))
    join = np.sum if op.op.value == "add" else np.max
    flips = np.zeros(())
    if op.op.value == "add":
        flips = len(found) * spacing(np.sum(np.abs(np.asarray(values, np.float64)), axis=0), element)
    worst, drift, spread = (join([u.parts[i] for u in found], axis=0) for i in range(3))
    return settled(Uncertainty(*map(np.asarray, (worst + flips, drift + flips, spread, doubt))))
