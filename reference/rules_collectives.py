"""Rules for what owners do together: barriers, shuffles, and reductions over the lanes of a subgroup."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ..ir.dialects import gpu
from ..ir.dialects.gpu import AddressSpaceAttr
from ..ir.dialects.gpu_together import BallotOp
from ..ir.dialects.nvvm import GriddepcontrolOp
from ..ir.dialects.vector_kind import CombiningKindAttr
from ..ir.numerics import Array, spacing, to_type
from ..ir.program_parts import part_around
from ..ir.types import FloatType, element_type, shape_of
from .batch_state import State
from .closures import EVALUATE, Compiler, Step
from .errors import failure
from .uncertainty import Maybe, Uncertainty, doubtful, settled


@EVALUATE.of(gpu.BarrierOp)
def _barrier(op: gpu.BarrierOp, _: Compiler) -> Step:
    fenced = None if op.address_spaces is None else op.address_spaces.values
    spaces = (
        ("workgroup", "global") if fenced is None else tuple(s.value for s in fenced if isinstance(s, AddressSpaceAttr))
    )

    part, across = part_around(op), op.scope.value == "cluster"

    def step(m: State) -> None:
        if m.batch.geometry.scope == "grid":
            raise failure(op, "waits for other threads: a function that does is no kernel")
        m.barrier(op, spaces, part, of_clusters=across and m.batch.geometry.together > 1)

    return step


@EVALUATE.of(GriddepcontrolOp)
def _depend_on_grids(_: GriddepcontrolOp, __: Compiler) -> None:
    """One grid is all there is: nobody to wait for, and nobody who waits."""


# -- shuffles ---------------------------------------------------------------------------------------------------------

_TARGETS: Mapping[str, Callable[[Array, Array], Array]] = {
    "xor": lambda lane, offset: lane ^ offset,
    "up": lambda lane, offset: lane - offset,
    "down": lambda lane, offset: lane + offset,
    "idx": lambda lane, offset: offset + np.zeros_like(lane),
}
"""The lane to read from, both lanes counted in their group of `width`."""


@EVALUATE.of(gpu.ShuffleOp)
def _shuffle(op: gpu.ShuffleOp, c: Compiler) -> Step:
    value, offset, width = c.slots([op.value, op.offset, op.width])
    out, valid_out, rank = c.slot(op.shuffle_result), c.slot(op.valid), len(shape_of(op.value.type))

    def step(m: State) -> None:
        m.require_whole_subgroups(op)
        source, valid = _sources(m, op, m.values[offset], m.values[width])
        given, doubt = m.values[value], m.doubts[value]
        m.values[out] = given if given.ndim == rank else given[source]
        m.values[valid_out] = valid
        m.doubts[out] = None if doubt is None else doubt.moved(lambda a: a[source] if a.ndim > rank else a)
        m.settle(op, [offset, width])

    return step


def _sources(m: State, op: gpu.ShuffleOp, offset: Array, width: Array) -> tuple[Array, Array]:
    """For each thread the thread it reads, itself where that is outside its group, and whether it is inside."""
    if offset.ndim or width.ndim:
        return _find_sources(m, op, offset, width)
    key = op.mode.value, int(offset), int(width)
    if key not in m.shuffles:
        m.shuffles[key] = _find_sources(m, op, offset, width)
    return m.shuffles[key]


def _find_sources(m: State, op: gpu.ShuffleOp, offset: Array, width: Array) -> tuple[Array, Array]:
    size, lane = m.batch.geometry.lanes, m.batch.lane
    groups = width.astype(np.int64)
    wrong = (groups < 1) | (groups > size) | (groups & (groups - 1) != 0)
    _raise_at(m, op, np.broadcast_to(wrong, lane.shape), f"needs a power of two up to {size} as width", groups)
    own = lane % groups
    target = _TARGETS[op.mode.value](own, offset.astype(np.int64) & 0xFFFFFFFF)
    valid = (target >= 0) & (target < groups)
    source = lane - own + np.where(valid, target, own)
    _raise_at(m, op, source >= m.batch.lanes_present, "reads a lane that the workgroup's last subgroup lacks", source)
    return m.batch.everyone - lane + source, np.array(True) if valid.all() else valid


def _raise_at(m: State, op: gpu.ShuffleOp, wrong: Array, words: str, found: Array) -> None:
    if m.active is not None:
        wrong = wrong & m.active
    if wrong.any():
        thread = int(np.argmax(wrong))
        raise failure(op, f"{m.at(thread)}{words}: {int(np.broadcast_to(found, wrong.shape)[thread])}")


@EVALUATE.of(BallotOp)
def _ballot(op: BallotOp, c: Compiler) -> Step:
    predicate, out, type = c.slot(op.predicate), c.slot(op.result_), op.result_.type

    def of_subgroups(m: State, bits: Array) -> Array:
        """Each thread's bit joined with those of its subgroup."""
        joined = np.zeros(int(m.batch.subgroup[-1]) + 1, bits.dtype)
        np.bitwise_or.at(joined, m.batch.subgroup, bits)
        return joined[m.batch.subgroup]

    def step(m: State) -> None:
        m.require_whole_subgroups(op)
        on, doubt = np.broadcast_to(m.values[predicate], (m.batch.size,)), m.doubts[predicate]
        bits = np.where(on, np.int64(1) << m.batch.lane, np.int64(0))
        m.values[out] = to_type(of_subgroups(m, bits), type)
        open_ = None if doubt is None else doubt.within(on.shape).undecided
        m.doubts[out] = None if open_ is None else doubtful(of_subgroups(m, np.asarray(open_)))

    return step


# -- reductions -------------------------------------------------------------------------------------------------------


@EVALUATE.of(gpu.SubgroupReduceOp)
def _subgroup_reduce(op: gpu.SubgroupReduceOp, c: Compiler) -> Step:
    """A butterfly from the lowest stride; each lane joins its own value with its partner's, in this order."""
    value, out, combine = c.slot(op.value), c.slot(op.result_), CombiningKindAttr(op.op.value).combine
    shape, stride = shape_of(op.value.type), op.cluster_stride.value
    size = None if op.cluster_size is None else op.cluster_size.value

    def step(m: State) -> None:
        m.require_whole_subgroups(op)
        lanes = m.batch.geometry.lanes
        end = lanes * stride if size is None else size * stride
        if end > lanes or m.batch.geometry.threads % lanes:
            found = f"subgroups of {lanes} lanes in a workgroup of {m.batch.geometry.threads} threads"
            raise failure(op, f"joins lanes of clusters that span {end} lanes, found {found}")
        given, doubt = np.broadcast_to(m.values[value], (m.batch.size, *shape)), m.doubts[value]
        total, distance = given, stride
        while distance < end:
            total = combine(total, total[m.batch.everyone ^ distance])
            distance *= 2
        m.values[out] = total
        m.doubts[out] = None if doubt is None else _reduced(m, op, given, doubt, stride, end)

    return step


def _reduced(m: State, op: gpu.SubgroupReduceOp, values: Array, doubt: Uncertainty, stride: int, end: int) -> Maybe:
    """Every executor joins in this order, so that only inexact values bring errors in."""
    first = m.batch.everyone & ~(end - stride)
    members = first[:, None] + np.arange(0, end, stride)
    worst, drift, spread, undecided = (part[members] for part in doubt.within(values.shape).parts)
    open_ = np.asarray(undecided.any(axis=1))
    element = element_type(op.result_.type)
    if not isinstance(element, FloatType) or op.op.value == "mul":
        inexact = doubt.within(values.shape).error[members] > 0
        return doubtful(open_ | np.asarray(inexact.any(axis=1)))
    if op.op.value != "add":
        return settled(Uncertainty(worst.max(axis=1), drift.max(axis=1), spread.max(axis=1), open_))
    sizes = np.abs(np.asarray(values, np.float64))[members].sum(axis=1)
    flips = members.shape[1] * spacing(np.asarray(sizes), element)
    return settled(Uncertainty(worst.sum(axis=1) + flips, drift.sum(axis=1) + flips, spread.sum(axis=1), open_))
