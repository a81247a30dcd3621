"""A buffer of shared memory for any f: rows of the part that is read, swizzled or padded, whatever has least conflicts.

A small fixed list of buffers is tried on the bank model, for each dimension that may be contiguous and simplest first,
until one is free of conflicts; the one of the least estimated cycles wins, the earlier of equals.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import prod

import numpy as np
import numpy.typing as npt

from ...support.dataclasses import dataclass
from ..banks import wavefronts
from ..nested import IntArray
from ..plan import Cost, SharedMemory
from .buffer import WIDEST_ACCESS, Room
from .buffer_places import RowPlaces, Swizzle, rows_of

_PADDINGS = (4, 8, 16, 32)  # bytes added to a row
_GROUPS_TRIED = 32  # of one thread's accesses: enough to see a pattern that repeats from register to register
Groups = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Elements:
    """The numbers of the elements of a source of shape `shape` that registers hold and want, [threads, registers].

    -1 where a register of the reader wants none.
    """

    shape: tuple[int, ...]
    held: IntArray
    wanted: IntArray

    def box(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """(low, high) of what is wanted."""
        is_wanted = np.zeros(prod(self.shape) + 1, bool)
        is_wanted[self.wanted] = True  # -1 is the one behind the last
        places = np.unravel_index(np.flatnonzero(is_wanted[:-1]), self.shape or (1,))
        bounds = [(int(x.min()), int(x.max()) + 1) for x in places][: len(self.shape)]
        return tuple(low for low, _ in bounds), tuple(high for _, high in bounds)


def plan_rows(elements: Elements, room: Room) -> SharedMemory:
    """The best buffer of the list, its conflicts and its cost."""
    low, high = elements.box()
    tried: list[tuple[int, int, RowPlaces]] = []
    for places in _candidates(elements.shape, low, high, room):
        plan = _evaluated(elements, places, room, room.lanes, _GROUPS_TRIED)
        tried.append((plan.cost.cycles, len(tried), places))
        if plan.conflicts == (0, 0):
            break
    return _evaluated(elements, min(tried, key=lambda entry: entry[:2])[2], room, room.threads, None)


def _candidates(shape: tuple[int, ...], low: tuple[int, ...], high: tuple[int, ...], room: Room) -> Iterator[RowPlaces]:
    """Plain rows along each dimension, then swizzled, then padded ones."""
    box = tuple(b - a for a, b in zip(low, high, strict=True))
    for dim in reversed(range(max(1, len(box)))):
        row = box[dim] if box else 1

        def rows(length: int, swizzle: Swizzle | None = None, dim: int = dim) -> RowPlaces:
            return RowPlaces(shape, low, high, rows_of(box, dim, length), swizzle)

        yield rows(row)
        if row & (row - 1) == 0:
            yield from (rows(row, swizzle) for swizzle in _swizzles(row, room))
        for padding in _PADDINGS if len(box) > 1 else ():
            if padding % room.element_bytes == 0:
                yield rows(row + padding // room.element_bytes)


def _swizzles(row: int, room: Room) -> Iterator[Swizzle]:
    """Swizzles that mix the number of the row, or of the line (all banks once), into the banks; wide accesses first."""
    line, row_bits = room.line_bits, max((row - 1).bit_length(), room.line_bits)
    for source in dict.fromkeys((row_bits, line)):
        for base in reversed(range(line)):
            if (1 << base) * room.element_bytes <= WIDEST_ACCESS:
                yield from (Swizzle(bits, base, source - base) for bits in range(line - base, 0, -1))


def groups_of(offsets: IntArray, most: int) -> tuple[Groups, tuple[int, ...]]:
    """Registers [threads, registers] that lie side by side for every thread, up to `most` and aligned to their number.

    And for every register the one of the groups that has the same element; a negative offset is no access.
    """
    order = np.lexsort(offsets[::-1])
    columns = np.ascontiguousarray(offsets.T[order])
    is_new = np.ones(len(order), bool)
    is_new[1:] = (columns[1:] != columns[:-1]).any(axis=1)
    same = np.empty(len(order), np.int64)
    same[order] = order[is_new][np.cumsum(is_new) - 1]
    kept = is_new & (columns >= 0).any(axis=1)
    columns, registers = columns[kept], order[kept].tolist()
    goes_on = (columns[1:] == np.where(columns[:-1] >= 0, columns[:-1] + 1, -1)).all(axis=1).tolist()
    groups: list[tuple[int, ...]] = []
    at = 0
    while at < len(registers):
        size = _run(columns, goes_on, at, most)
        groups.append(tuple(registers[at : at + size]))
        at += size
    return tuple(sorted(groups)), tuple(same.tolist())


def _run(columns: IntArray, goes_on: list[bool], at: int, most: int) -> int:
    """How many columns from one on are an access: a power of two, which divides the place where it begins. `goes_on`
    says of each whether the next is one element behind it."""
    size = 1
    while size < most and at + size < len(columns) and goes_on[at + size - 1]:
        size += 1
    size = 1 << (size.bit_length() - 1)
    first = columns[at][columns[at] >= 0]
    while size > 1 and (first % size).any():
        size //= 2
    return size


def _evaluated(
    elements: Elements, places: RowPlaces, room: Room, threads: int, most_groups: int | None
) -> SharedMemory:
    """The plan for a buffer, judged by the first `threads` threads and `most_groups` accesses of each."""
    held, wanted = places.offsets(elements.held), places.offsets(elements.wanted)
    most = WIDEST_ACCESS // room.element_bytes
    writes, _ = groups_of(held, most)
    reads, same = groups_of(wanted, most)
    taken = [
        _passes(offsets[:threads], groups[:most_groups], room, write)
        for offsets, groups, write in ((held, writes, True), (wanted, reads, False))
    ]
    size = _size(places)
    piece, buffers = _piece(size, room)
    pieces = -(-size // piece)
    cost = Cost(
        packs=sum(len(group) for group in (*writes, *reads) if any(b != a + 1 for a, b in pairwise(group))),
        stores=len(writes),
        loads=len(reads),
        barriers=1 + pieces,
        wavefronts=sum(_scaled(t[2], len(g), most_groups) for t, g in zip(taken, (writes, reads), strict=True)),
        bytes=(sum(map(len, writes)) + sum(map(len, reads))) * room.element_bytes,
    )
    return SharedMemory(
        places=places,
        piece=piece,
        pieces=pieces,
        buffers=buffers,
        writes=writes,
        reads=reads,
        same=same,
        conflicts=(taken[0][0] - taken[0][1], taken[1][0] - taken[1][1]),
        bytes=piece * buffers * room.element_bytes,
        cost=cost,
    )


def _size(places: RowPlaces) -> int:
    """Elements of the buffer; swizzles need whole blocks."""
    last = sum((b - a - 1) * s for a, b, s in zip(places.low, places.high, places.strides, strict=True))
    block = 1 << (places.swizzle.base + places.swizzle.bits) if places.swizzle else 1
    return -(-(last + 1) // block) * block


def _piece(size: int, room: Room) -> tuple[int, int]:
    """(elements of a piece, buffers that take turns): a piece holds whole accesses."""
    if room.bytes is None or size * room.element_bytes <= room.bytes:
        return size, 1
    return max(room.bytes // (2 * WIDEST_ACCESS), 1) * WIDEST_ACCESS // room.element_bytes, 2


def _scaled(passes: int, groups: int, most_groups: int | None) -> int:
    return passes if most_groups is None or groups <= most_groups else -(-passes * groups // most_groups)


def _passes(offsets: IntArray, groups: Groups, room: Room, write: bool) -> tuple[int, int, int]:
    """Wavefronts taken, wavefronts without conflicts, and wavefronts of the busiest subgroup."""
    taken, ideal = np.zeros(1, np.int64), np.zeros(1, np.int64)
    for width in sorted({len(group) for group in groups}):
        starts = [group[0] for group in groups if len(group) == width]
        addresses: npt.NDArray[np.int64] = offsets[:, starts].T * room.element_bytes
        if missing := -addresses.shape[1] % room.subgroup_size:
            addresses = np.pad(addresses, ((0, 0), (0, missing)), constant_values=-1)
        by_subgroup = addresses.reshape(len(starts), -1, room.subgroup_size)
        some, least = wavefronts(by_subgroup, width * room.element_bytes, write=write, model=room.banks)
        taken, ideal = taken + some.sum(axis=0), ideal + least.sum(axis=0)
    return int(taken.sum()), int(ideal.sum()), int(taken.max())
