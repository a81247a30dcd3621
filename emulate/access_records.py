"""What is written down of accesses of an emulated memory, for the search for races (`races.py`): who, where, when."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..support.dataclasses import dataclass
from ..support.named_tuples import NamedTuple
from .barrier_clocks import Order
from .faults import Place

Array = npt.NDArray[Any]

READ, WRITE, ATOMIC = 0, 1, 2
VERBS = ("reads", "writes", "updates atomically")


@dataclass(frozen=True)
class Crew:
    """Threads are numbered through the launch: so many make a workgroup, a team (whom a warp barrier orders), and an
    actor (whose own accesses are in order). Where workgroups come in clusters, "workgroup" is the cluster, among whose
    teams barriers and what is told order accesses."""

    workgroup: int
    team: int
    actor: int

    @property
    def teams(self) -> int:
        """The teams of a workgroup."""
        return -(-self.workgroup // self.team)


@dataclass(frozen=True, eq=False)
class Clock:
    """Barriers passed: by all workgroups and all teams of a batch, and besides by each of them alone."""

    workgroups: int = 0
    teams: int = 0
    each_workgroup: Array | None = None
    each_team: Array | None = None
    order: Order | None = None
    """By barriers of some of the teams of workgroups, where there were any."""

    def read(self, lanes: Array, crew: Crew) -> tuple[Array, Array]:
        """Barriers that the workgroups and the teams of the batch's `lanes` have passed."""
        zeros = np.zeros(lanes.size, np.int64)
        epochs = zeros if self.each_workgroup is None else self.each_workgroup[lanes // crew.workgroup]
        turns = zeros if self.each_team is None else self.each_team[lanes // crew.team]
        return epochs + self.workgroups, turns + self.teams

    def known(self, lanes: Array, crew: Crew) -> tuple[Array, Array]:
        """The epochs of the teams of the batch's `lanes`, and what these know of each team of their workgroup."""
        if self.order is None:
            return np.zeros(lanes.size, np.int64), np.zeros((lanes.size, crew.teams), np.int64)
        place = lanes // crew.workgroup, lanes % crew.workgroup // crew.team
        return self.order.epochs[place], self.order.known[place]


class Touch(NamedTuple):
    """One access of a race: what it does, the number of its instruction, the thread, and the byte."""

    verb: str
    site: int
    thread: int
    byte: int


class Earlier(NamedTuple):
    """A grid that was launched before: the name of its kernel, and who executed what, by the instruction's number and
    the thread's."""

    kernel: str
    place_of: Callable[[int, int], Place]


class Race(Exception):
    """Two accesses that nothing orders, in the order in which they happened here."""

    def __init__(self, first: Touch, second: Touch) -> None:
        super().__init__(first, second)
        self.first, self.second = first, second
        self.memory = ""
        """The name of the memory, which its trace enters."""
        self.earlier: Earlier | None = None
        """The grid that made the first access, if it was one before this."""


@dataclass(frozen=True, eq=False)
class Record:
    """Accesses of `nbytes` each at positions `flat`, by threads `lanes` of the batch whose first thread is `base`."""

    kind: int
    flat: Array
    nbytes: int
    lanes: Array
    base: int
    site: int
    clock: Clock
    values: Sequence[Array] | None = None
    """The elements of a write: each access's elements, one array for all accesses' first, and so on."""

    @cached_property
    def range(self) -> tuple[int, int]:
        return int(self.flat.min()), int(self.flat.max()) + self.nbytes

    def range_within(self, stride: int) -> tuple[int, int]:
        """`range` of the positions modulo `stride`, where that is not 0."""
        if not stride:
            return self.range
        places = self.flat - self.flat // stride * stride
        return int(places.min()), int(places.max()) + self.nbytes

    def cells(self, granule: int) -> Array:
        """[access, cells of an access]."""
        first = (self.flat >> granule.bit_length() - 1)[:, None]
        count = self.nbytes // granule
        return first if count == 1 else first + np.arange(count)

    def written(self, granule: int) -> Array | None:
        """What is written to each cell, as bits: [access, cells of an access]."""
        if self.values is None:
            return None
        rows = np.stack([np.broadcast_to(v, self.flat.shape) for v in self.values], axis=1)
        return np.ascontiguousarray(rows).view(f"u{granule}").astype(np.uint64)

    def numbers(self, threads: int) -> Array:
        """The numbers of the groups of `threads` that the threads are in, from 1: [access, 1]."""
        found = self.base + self.lanes
        return ((found if threads == 1 else found // threads) + 1)[:, None]


def common_size(records: Sequence[Record], most: int = 8) -> int:
    """The largest power of two, up to `most`, that all accesses are made of; values that are written have up to 8."""
    bits = most
    for r in records:
        bits |= r.nbytes | int(np.bitwise_or.reduce(r.flat))
    return bits & -bits
