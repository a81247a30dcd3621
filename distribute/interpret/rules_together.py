"""Rules for what threads do together: barriers, shuffles, and reductions over the lanes of a subgroup."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...ir.dialects import gpu
from ...ir.dialects.gpu import AddressSpaceAttr
from ...ir.dialects.vector_kind import CombiningKindAttr
from ...ir.numerics import Array
from ...ir.parts import part_around
from ...ir.types import shape_of
from .compile import Compiler, Step, interprets
from .errors import failure
from .machine import Machine


@interprets(gpu.BarrierOp)
def _barrier(_: Compiler, op: gpu.BarrierOp) -> Step:
    fenced = None if op.address_spaces is None else op.address_spaces.values
    spaces = (
        ("workgroup", "global") if fenced is None else tuple(s.value for s in fenced if isinstance(s, AddressSpaceAttr))
    )

    part = part_around(op)

    def step(m: Machine) -> None:
        m.barrier(op, spaces, part)

    return step


_TARGETS: dict[str, Callable[[Array, Array], Array]] = {
    "xor": lambda lane, offset: lane ^ offset,
    "up": lambda lane, offset: lane - offset,
    "down": lambda lane, offset: lane + offset,
    "idx": lambda lane, offset: offset + np.zeros_like(lane),
}
"""The lane to read from, both lanes counted in their group of `width`."""


@interprets(gpu.ShuffleOp)
def _shuffle(c: Compiler, op: gpu.ShuffleOp) -> Step:
    value, offset, width = c.slots([op.value, op.offset, op.width])
    out, valid_out, rank = c.slot(op.shuffle_result), c.slot(op.valid), len(shape_of(op.value.type))

    def step(m: Machine) -> None:
        m.require_whole_subgroups(op)
        source, valid = _sources(m, op, m.values[offset], m.values[width])
        given = m.values[value]
        m.values[out] = given if given.ndim == rank else given[source]
        m.values[valid_out] = valid

    return step


def _sources(m: Machine, op: gpu.ShuffleOp, offset: Array, width: Array) -> tuple[Array, Array]:
    """For each thread the thread it reads, itself where that is outside its group, and whether it is inside."""
    if offset.ndim or width.ndim:
        return _find_sources(m, op, offset, width)
    key = op.mode.value, int(offset), int(width)
    if key not in m.shuffles:
        m.shuffles[key] = _find_sources(m, op, offset, width)
    return m.shuffles[key]


def _find_sources(m: Machine, op: gpu.ShuffleOp, offset: Array, width: Array) -> tuple[Array, Array]:
    size, lane = m.batch.geometry.subgroup_size, m.batch.lane
    groups = width.astype(np.int64)
    wrong = (groups < 1) | (groups > size) | (groups & (groups - 1) != 0)
    _raise_at(m, op, np.broadcast_to(wrong, lane.shape), f"needs a power of two up to {size} as width", groups)
    own = lane % groups
    target = _TARGETS[op.mode.value](own, offset.astype(np.int64) & 0xFFFFFFFF)
    valid = (target >= 0) & (target < groups)
    source = lane - own + np.where(valid, target, own)
    _raise_at(m, op, source >= m.batch.lanes_present, "reads a lane that the workgroup's last subgroup lacks", source)
    return m.batch.everyone - lane + source, np.array(True) if valid.all() else valid


def _raise_at(m: Machine, op: gpu.ShuffleOp, wrong: Array, words: str, found: Array) -> None:
    if m.active is not None:
        wrong = wrong & m.active
    if wrong.any():
        thread = int(np.argmax(wrong))
        raise failure(op, f"in {m.batch.who(thread)} {words}: {int(np.broadcast_to(found, wrong.shape)[thread])}")


@interprets(gpu.SubgroupReduceOp)
def _subgroup_reduce(c: Compiler, op: gpu.SubgroupReduceOp) -> Step:
    """A butterfly from the lowest stride; each lane joins its own value with its partner's, in this order."""
    value, out, combine = c.slot(op.value), c.slot(op.result_), CombiningKindAttr(op.op.value).combine
    rank, stride = len(shape_of(op.value.type)), op.cluster_stride.value
    size = None if op.cluster_size is None else op.cluster_size.value

    def step(m: Machine) -> None:
        m.require_whole_subgroups(op)
        lanes = m.batch.geometry.subgroup_size
        end = lanes if size is None else size * stride
        if end > lanes or m.batch.geometry.threads % lanes:
            found = f"subgroups of {lanes} lanes in a workgroup of {m.batch.geometry.threads} threads"
            raise failure(op, f"joins lanes of clusters that span {end} lanes, found {found}")
        total = m.values[value]
        if total.ndim == rank:
            total = np.broadcast_to(total, (m.batch.size, *total.shape))
        distance = stride
        while distance < end:
            total = combine(total, total[m.batch.everyone ^ distance])
            distance *= 2
        m.values[out] = total

    return step
