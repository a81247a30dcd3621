"""Asynchronous copies and barrier objects of a batch.

A copy is checked when it is issued, and its bytes land when the thread that issued it waits: a kernel that reads too
early, or writes what a copy writes or reads before its wait, is reported: on hardware a copy takes place at any time
in between.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from ...support.dataclasses import dataclass
from ..access_records import READ
from ..faults import Violation
from .clusters import Clusters
from .group import Group

Array = npt.NDArray[Any]


@dataclass
class _Copy:
    """One issued instruction: entries per lane; `turn` is how many commits the lane had made."""

    lanes: Array
    destination: Array
    source: Array
    given: Array
    turn: Array
    size: int
    held: Array
    """The bytes of the source, as they were then; what is not given is zero."""

    def part(self, chosen: Array) -> _Copy:
        return _Copy(
            self.lanes[chosen],
            self.destination[chosen],
            self.source[chosen],
            self.given[chosen],
            self.turn[chosen],
            self.size,
            self.held[chosen],
        )


@dataclass
class BarrierObject:
    """An mbarrier: arrivals expected per phase, those still pending, bytes still pending, phase parity."""

    expected: int
    pending: int
    bytes: int = 0
    phase: int = 0


class Copies(Clusters):
    """Adds cp.async and mbarrier to a batch."""

    def prepare_copies(self) -> None:
        """Called once, before anything runs."""
        self._commits: Array = np.zeros(self.size, np.int64)
        self._pending: list[_Copy] = []
        self._objects: dict[tuple[int, int], BarrierObject] = {}

    # ---- cp.async ----

    def issue_copy(self, destination: Any, source: Any, size: int, given: Any, group: Group, site: int) -> None:
        if group.count == 0:
            return
        lanes = group.index
        to, origin = self.chosen(destination, group), self.chosen(source, group)
        amount = np.minimum(self.chosen(given, group), np.uint32(size)).astype(np.int64)
        _, flat = self._locate("shared", to, size, group, site)
        self._on_shared_in_flight(flat, lanes, size, site)
        self._check_sources(origin, amount, lanes, size, site)
        self._count_copy(origin, to, amount, size, group, site)
        held = self._source_bytes(origin, amount, size)
        self._pending.append(_Copy(lanes, flat, origin, amount, self._commits[lanes], size, held))

    def _count_copy(self, origin: Array, to: Array, amount: Array, size: int, group: Group, site: int) -> None:
        """What ignores its source reads nothing; zeros are written all the same."""
        self._count("shared", to, size, group, site, load=False)
        lanes, reading = group.index, amount > 0
        if reading.all():
            self._count("global", origin, size, group, site, load=True)
        elif reading.any():
            mask = np.zeros(self.size, np.bool_)
            mask[lanes[reading]] = True
            self._count("global", origin[reading], size, group.narrow(mask), site, load=True)

    def _on_shared_in_flight(self, flat: Array, lanes: Array, size: int, site: int) -> None:
        try:
            self.shared.on_copy(flat, lanes, size, site)
        except Violation as violation:
            self.raise_violation(violation, lanes, site)

    def _check_sources(self, origin: Array, amount: Array, lanes: Array, size: int, site: int) -> None:
        """Only the bytes that are really read must exist; the address must be aligned to the whole."""
        wrong = origin & (size - 1) != 0
        if wrong.any():
            position = int(np.flatnonzero(wrong)[0])
            raise self.fault("misaligned", f"copy of {size} bytes", site, int(lanes[position]), int(origin[position]))
        for count in np.unique(amount[amount > 0]):
            here = amount == count
            try:
                flat = self.memory.locate(origin[here], 1)
                self.memory.locate(origin[here] + (int(count) - 1), 1)
                self._note_source(flat, int(count), lanes[here], site)
            except Violation as violation:
                self.raise_violation(violation, lanes[here], site)

    def _note_source(self, flat: Array, count: int, lanes: Array, site: int) -> None:
        """A copy reads at any time from its issue to the wait for it."""
        for power in (1, 2, 4, 8, 16):
            if count & power:
                self.note(READ, flat + (count & (power - 1)), power, lanes, site)

    def commit_copies(self, group: Group) -> None:
        self._commits[group.index] += 1

    def wait_copies(self, allowed: int | None, group: Group, site: int) -> None:
        """Land the copies of the group's lanes, but for their `allowed` newest commits (None: land all)."""
        remaining: list[_Copy] = []
        for copy in self._pending:
            due = group.mask[copy.lanes]
            if allowed is not None:
                due = due & (copy.turn < self._commits[copy.lanes] - allowed)
            if due.any():
                self._land(copy.part(due), site)
            if not due.all():
                remaining.append(copy.part(~due))
        self._pending = remaining

    def _land(self, copy: _Copy, site: int) -> None:
        try:
            self.shared.on_landing(copy.destination, copy.lanes, copy.size, site)
        except Violation as violation:
            self.raise_violation(violation, copy.lanes, site)
        found = self._source_bytes(copy.source, copy.given, copy.size)
        if not np.array_equal(found, copy.held):
            position = int(np.flatnonzero((found != copy.held).any(axis=1))[0])
            detail = "what a copy reads was written before its thread waited for it"
            raise self.fault("outstanding-load", detail, site, int(copy.lanes[position]), int(copy.source[position]))
        for count in np.unique(copy.given[copy.given > 0]):
            here = copy.given == count
            start = self.memory.locate(copy.source[here], 1)
            self._note_source(start, int(count), copy.lanes[here], site)
        self.shared.data.reshape(-1, copy.size)[copy.destination // copy.size] = found

    def _source_bytes(self, source: Array, given: Array, size: int) -> Array:
        """[copy, byte]: what is read, zeros besides. Sources are multiples of `size`."""
        if (given == size).all():
            return np.asarray(self.memory.arena.reshape(-1, size).take(self.memory.locate(source, 1) // size, axis=0))
        found = np.zeros((source.size, size), np.uint8)
        for count in np.unique(given[given > 0]):
            here = np.flatnonzero(given == count)
            piece = np.arange(int(count))
            found[here[:, None], piece] = self.memory.arena[self.memory.locate(source[here], 1)[:, None] + piece]
        return found

    # ---- mbarrier ----

    def _keys(self, address: Any, group: Group, site: int) -> list[tuple[int, tuple[int, int]]]:
        """(lane, key of its barrier object), in order of lane."""
        addresses = self.chosen(address, group) & ((1 << 56) - 1)
        self._locate("shared", addresses, 8, group, site)
        offsets, segments = self.segments(addresses, group.index)
        return [(int(n), (int(b), int(a))) for n, b, a in zip(group.index, segments, offsets, strict=True)]

    def object_at(self, key: tuple[int, int], lane: int, site: int) -> BarrierObject:
        if key not in self._objects:
            raise self.fault("uninitialised", "no barrier object was initialised here", site, lane, key[1])
        return self._objects[key]

    def init_barrier(self, address: Any, count: Any, group: Group, site: int) -> None:
        """Makes a barrier object; at a place that has one already, this is undefined (PTX ISA, "mbarrier.init")."""
        counts = self.chosen(count, group)
        for (lane, key), expected in zip(self._keys(address, group, site), counts, strict=True):
            if key in self._objects:
                raise self.fault(
                    "barrier-object", "there is a barrier object here: inval comes first", site, lane, key[1]
                )
            self._objects[key] = BarrierObject(int(expected), int(expected))

    def end_barrier(self, address: Any, group: Group, site: int) -> None:
        for lane, key in self._keys(address, group, site):
            self.object_at(key, lane, site)
            del self._objects[key]

    def expect_bytes(self, address: Any, count: Any, complete: bool, group: Group, site: int) -> None:
        counts = self.chosen(count, group)
        for (lane, key), amount in zip(self._keys(address, group, site), counts, strict=True):
            found = self.object_at(key, lane, site)
            found.bytes += -int(amount) if complete else int(amount)
            self.advance_phase(key, found)

    def need_others(self, address: Any, count: Any, group: Group, site: int) -> None:
        """Arrivals that must not end the phase (PTX ISA, "mbarrier.arrive.noComplete")."""
        left: dict[tuple[int, int], int] = {}
        counts = self.chosen(count, group)
        for (lane, key), amount in zip(self._keys(address, group, site), counts, strict=True):
            left[key] = left.get(key, self.object_at(key, lane, site).pending) - int(amount)
            if left[key] <= 0:
                detail = f"{int(amount)} arrivals that must not be the last, and none would be pending"
                raise self.fault("barrier-object", detail, site, lane, key[1])

    def arrive(self, address: Any, count: Any, drop: bool, group: Group, site: int) -> Array:
        """The phase that was arrived at, as an opaque 64-bit state."""
        out = np.zeros(self.size, np.uint64)
        counts = self.chosen(count, group)
        for (lane, key), amount in zip(self._keys(address, group, site), counts, strict=True):
            found = self.object_at(key, lane, site)
            self.tell(key, np.array([lane]))
            out[lane] = found.phase
            if int(amount) > found.pending:
                detail = f"{int(amount)} arrivals where {found.pending} are pending"
                raise self.fault("deadlock", detail, site, lane, key[1])
            found.pending -= int(amount)
            found.expected -= int(amount) if drop else 0
            self.advance_phase(key, found)
        return out

    def advance_phase(self, key: tuple[int, int], found: BarrierObject) -> None:
        """Where all have arrived, and all bytes have come."""
        if found.pending or found.bytes:
            return
        found.phase ^= 1
        found.pending = found.expected
        self.phase_over(key)

    @abstractmethod
    def tell(self, key: tuple[int, int], lanes: Array) -> None:
        """Lanes arrive at an object."""

    @abstractmethod
    def phase_over(self, key: tuple[int, int]) -> None:
        """A phase of an object is over."""
