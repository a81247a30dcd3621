"""Plans the movement of a vector from one nested layout to any other, by comparing their full maps.

Element x of the target comes from element f(x) of the source; for a conversion f is the identity. The cheapest way
wins: nothing, renaming of registers, selects and shuffles within subgroups, or shared memory. What is planned is
remembered: layouts, f and chips are values.
"""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from ..ir.types import Type, element_type, memory_bits
from ..support.dataclasses import dataclass, replace
from ..support.distinct import distinct
from ..support.named_tuples import NamedTuple
from ..support.reindex import Reindex, places_in, row_major
from .banks import NVIDIA, BankModel, banks_of
from .dimension import LayoutError
from .movement.buffer import Room, plan_buffer
from .movement.digits import Matched, matched
from .movement.rows import Elements, plan_rows
from .movement.shuffles import plan_lanes
from .nested import IntArray, NestedLayout
from .plan import Cost, LaneProgram, Nothing, Plan, Rename, Send, SharedMemory, Shuffle
from .workgroup import Workgroup

__all__ = [
    "Cost",
    "LaneProgram",
    "Means",
    "Moved",
    "Movement",
    "Nothing",
    "Plan",
    "Rename",
    "SharedMemory",
    "Shuffle",
    "first_moved",
    "plan_in",
    "plan_movement",
    "source_of",
]

_SHUFFLE_BITS = 32


@dataclass(frozen=True)
class Means:
    """What the threads of a workgroup may move elements by.

    Attributes:
        threads, subgroup_size: How many there are, and of a subgroup.
        banks: Those of shared memory.
        shared_bytes: The most that a buffer may have, so that more goes in pieces; None where any will do.
        shuffles: Whether lanes may exchange values.
        shared: Whether shared memory is more than the last resort.
    """

    threads: int
    subgroup_size: int
    banks: BankModel = NVIDIA
    shared_bytes: int | None = None
    shuffles: bool = True
    shared: bool = True


@dataclass(frozen=True)
class Movement:
    """What is to be moved: every target register gets the source's element f(x).

    Registers whose elements are not from this source get anything. Elements take whole bytes in shared memory.

    Attributes:
        element_bits: 1 to 128, whole bytes of a power of two from 8 on.
        forced: Whether shared memory is demanded even where less would do.
    """

    source: NestedLayout
    target: NestedLayout
    f: Reindex
    element_bits: int
    means: Means
    forced: bool = False


def plan_in(
    workgroup: Workgroup,
    source: NestedLayout,
    target: NestedLayout,
    f: Reindex,
    type: Type,
    *,
    force_shared: bool = False,
) -> Plan:
    """The plan for a value of `type`, on the subgroups, the shared memory and the chip of a workgroup."""
    means = Means(
        workgroup.threads,
        workgroup.subgroup_size,
        banks_of(workgroup.chip),
        workgroup.shared_bytes,
        shared=workgroup.exchanges,
    )
    source, target = source.wrapped(workgroup.subgroups), target.wrapped(workgroup.subgroups)
    return plan_movement(Movement(source, target, f, memory_bits(element_type(type)), means, force_shared))


@lru_cache(maxsize=65536)
def plan_movement(asked: Movement) -> Plan:
    """The cheapest plan for a movement.

    LayoutError unless both layouts are valid and of f's shapes, and elements have a size that can be exchanged.
    """
    source, target, f, bits, means = asked.source, asked.target, asked.f, asked.element_bits, asked.means
    if (source.shape, target.shape) != (f.source, f.target):
        raise LayoutError(f"a layout of {source.shape} cannot be converted to one of {target.shape}")
    for layout in (source, target):
        layout.check(threads=means.threads, subgroup_size=means.subgroup_size)
    element_bytes = -(-bits // 8)
    if not 1 <= bits <= 128 or element_bytes & (element_bytes - 1):
        raise LayoutError(f"elements of {bits} bits cannot be exchanged: expected 1 to 8, 16, 32, 64 or 128")
    room = Room(means.threads, means.subgroup_size, element_bytes, means.banks, means.shared_bytes)
    movement = _Planning(source, target, f, room, bits)
    if not asked.forced and (names := movement.renaming()) is not None:
        return _renamed(names, source)
    shared = movement.shared()
    if asked.forced:
        return replace(shared, reason=f"shared memory is demanded: {_described(shared)}")
    within = movement.within_subgroups()
    if isinstance(within, str):
        return replace(shared, reason=f"{within}: {_described(shared)}")
    moves = isinstance(within, Shuffle) or any(isinstance(step, Send) for step in within.steps)
    if moves and not means.shuffles:
        return replace(shared, reason=f"shuffles are not allowed, {within.cost} would do: {_described(shared)}")
    if within.cost.cycles <= shared.cost.cycles or not means.shared:
        return replace(within, reason=f"needs {within.cost}; {_described(shared)}")
    return replace(shared, reason=f"{_described(shared)}, cheaper than {within.cost} within the subgroup")


def source_of(
    source: NestedLayout, target: NestedLayout, threads: int, subgroup_size: int
) -> tuple[IntArray, IntArray]:
    """(thread, source register), each [threads, target registers], that every target register can be read from.

    The thread is the reader's id with the source's digits replaced by the wanted ones; where the end of the workgroup
    cuts that replica off, the element's elected owner. LayoutError unless both layouts are of one shape.
    """
    if source.shape != target.shape:
        raise LayoutError(f"a layout of {source.shape} cannot be converted to one of {target.shape}")
    wanted = target.coordinates(threads, subgroup_size)
    thread, register, _ = _locate(source, wanted, threads, subgroup_size)
    return thread, register


class Moved(NamedTuple):
    """An element of the target that a movement brings somewhere else: (thread, register) of both ends."""

    element: tuple[int, ...]
    giver: tuple[int, int]
    taker: tuple[int, int]


def first_moved(workgroup: Workgroup, source: NestedLayout, target: NestedLayout, f: Reindex) -> Moved | None:
    """The first element, by the thread that takes it, that comes from another subgroup; if there is none, from another
    thread, then from another register. None where all stay where they are."""
    source, target = source.wrapped(workgroup.subgroups), target.wrapped(workgroup.subgroups)
    room = Room(workgroup.threads, workgroup.subgroup_size, 1, banks_of(workgroup.chip), None)
    return _Planning(source, target, f, room, 8).first_moved()


@dataclass(frozen=True)
class _Planning:
    """What is found on the way to a plan."""

    source: NestedLayout
    target: NestedLayout
    f: Reindex
    room: Room
    element_bits: int

    @property
    def digits(self) -> Matched | None:
        return matched(self.source, self.target, self.f, self.room.subgroup_size)

    @property
    def binary(self) -> bool:
        """Whether the workgroup's thread ids are all numbers of so many bits."""
        return all(n & (n - 1) == 0 for n in (self.room.threads, self.room.subgroup_size))

    def renaming(self) -> tuple[int, ...] | None:
        """The own source register of every target register, where all threads have theirs alike."""
        if self.digits is not None:
            return _names(self.digits, self.target.registers)
        thread, register, _ = self._located
        used = self._wanted >= 0
        own = thread == np.arange(self.room.threads)[:, None]
        if not own[used].all():
            return None
        names = np.where(used, register, -1).max(axis=0)
        return tuple(np.maximum(names, 0).tolist()) if (~used | (register == names)).all() else None

    def shared(self) -> SharedMemory:
        found = plan_buffer(self.digits, self.room) if self.digits is not None else None
        if found is not None:
            return found
        held = _numbers(self.source, self.f.source, self.room)
        return plan_rows(Elements(self.f.source, held, self._wanted), self.room)

    def within_subgroups(self) -> LaneProgram | Shuffle | str:
        """The cheapest way by shuffles, or why there is none."""
        if self.digits is not None and self.binary:
            program = plan_lanes(
                self.source, self.target, self.digits, self.room.threads, self.room.subgroup_size, self.element_bits
            )
            if program is not None:
                return program
        thread, register, direct = self._located
        used = self._wanted >= 0
        ids = np.arange(self.room.threads)[:, None]
        near = ~used | (direct & (thread // self.room.subgroup_size == ids // self.room.subgroup_size))
        if not near.all():
            return _far(self.target, thread, near, self.room.subgroup_size)
        return _shuffling(thread, register, used, self.element_bits)

    def first_moved(self) -> Moved | None:
        """See the function of that name."""
        thread, register, _ = self._located
        used, size = self._wanted >= 0, self.room.subgroup_size
        ids, own = np.arange(self.room.threads)[:, None], np.arange(self.target.registers)[None, :]
        for moved in (used & (thread // size != ids // size), used & (thread != ids), used & (register != own)):
            if moved.any():
                taker, at = (int(index[0]) for index in np.nonzero(moved))
                giver = int(thread[taker, at]), int(register[taker, at])
                return Moved(self.target.coordinate(taker, at, size), giver, (taker, at))
        return None

    @cached_property
    def _wanted(self) -> IntArray:
        """f of every target register, [threads, registers]."""
        return self.f.of(_numbers(self.target, self.f.target, self.room))

    @cached_property
    def _located(self) -> tuple[IntArray, IntArray, npt.NDArray[np.bool_]]:
        wanted = np.maximum(self._wanted, 0)
        coordinates = np.empty((*wanted.shape, len(self.f.source)), np.int64)
        for dim, places in enumerate(places_in(self.f.source, wanted)):
            coordinates[..., dim] = places
        return _locate(self.source, coordinates, self.room.threads, self.room.subgroup_size)


def _numbers(layout: NestedLayout, shape: tuple[int, ...], room: Room) -> IntArray:
    """The row-major number of the element in every register, [threads, registers]."""
    steps = np.array(row_major(shape), np.int64)
    return layout.coordinates(room.threads, room.subgroup_size) @ steps


def _names(digits: Matched, registers: int) -> tuple[int, ...] | None:
    names = np.full(registers, sum(d.stride * value for d, value in digits.fixed), np.int64)
    if any(d.thread for d, _ in digits.fixed):
        return None
    numbers = np.arange(registers)
    for source, target in digits.pairs:
        if source.thread or target.thread:
            if (source.thread, source.stride) != (target.thread, target.stride):
                return None
        else:
            names += numbers // target.stride % target.size * source.stride
    return tuple(names.tolist())


def _locate(
    source: NestedLayout, coordinates: IntArray, threads: int, subgroup_size: int
) -> tuple[IntArray, IntArray, npt.NDArray[np.bool_]]:
    """(thread, register) of the nearest owner of elements [threads, registers, rank], and where the digits that are
    replaced in the reader's id alone gave the thread."""
    register, *wanted = source.split(coordinates)
    held = source.indices(threads, subgroup_size)
    strides = (
        np.array(source.subgroup_strides, np.int64) * subgroup_size,
        np.array(source.thread_strides, np.int64),
    )
    ids = np.arange(threads, dtype=np.int64)[:, None]
    elected = sum(_weighted(want, stride) for want, stride in zip(wanted, strides, strict=True))
    moved = elected + (ids - sum(_weighted(have, stride)[:, None] for have, stride in zip(held, strides, strict=True)))
    direct = moved < threads
    return np.where(direct, moved, elected), register, direct


def _weighted(digits: IntArray, strides: IntArray) -> IntArray:
    """The sums of digits [..., rank] times strides [rank]."""
    total = np.zeros(digits.shape[:-1], np.int64)
    for dim, stride in enumerate(strides.tolist()):
        if stride:
            total += digits[..., dim] * stride
    return total


def _renamed(names: tuple[int, ...], source: NestedLayout) -> Nothing | Rename:
    if names == tuple(range(source.registers)):
        return Nothing("every thread holds its elements already, in these registers")
    return Rename(names, "every thread holds its elements already, in other registers")


def _shuffling(thread: IntArray, register: IntArray, used: npt.NDArray[np.bool_], element_bits: int) -> Shuffle:
    """One shuffle for every source register that some lane needs, selected by the lanes afterwards."""
    ids = np.arange(len(thread), dtype=np.int64)[:, None]
    columns = zip(register.T, used.T, strict=True)
    candidates = tuple(tuple(int(name) for name in distinct(c[u])) or (0,) for c, u in columns)
    own = ~used | (thread == ids)
    local = tuple(bool(column.all()) for column in own.T)
    words = -(-element_bits // _SHUFFLE_BITS)
    sent = sum(len(names) for names, stays in zip(candidates, local, strict=True) if not stays) * words
    selects = sum(len(names) - 1 for names in candidates) * words
    cost = Cost(shuffles=sent, selects=selects, bytes=2 * sent * _SHUFFLE_BITS // 8)
    return Shuffle(candidates, local, np.where(used, thread, ids), register, cost=cost)


def _described(plan: SharedMemory) -> str:
    pieces = f" in {plan.pieces} pieces" if plan.pieces > 1 else ""
    return f"shared memory takes {plan.cost}, {plan.bytes} bytes{pieces}, {sum(plan.conflicts)} bank conflicts"


def _far(target: NestedLayout, thread: IntArray, near: npt.NDArray[np.bool_], subgroup_size: int) -> str:
    """Why shuffles are impossible, by the first element that they cannot bring."""
    reader, register = (int(at[0]) for at in np.nonzero(~near))
    owner, element = int(thread[reader, register]), target.coordinate(reader, register, subgroup_size)
    if owner // subgroup_size == reader // subgroup_size:
        return f"element {element} has no owner in the replica of thread {reader}, cut off by the end of the workgroup"
    return (
        f"element {element} goes from thread {owner} (subgroup {owner // subgroup_size}) to thread {reader} "
        f"(subgroup {reader // subgroup_size}), out of the reach of shuffles"
    )
