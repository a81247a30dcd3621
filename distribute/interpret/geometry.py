"""Where threads are: the grid, its workgroups and their subgroups, and the ids of the threads of one batch.

Flat numbers have x fastest. A batch is a run of consecutive workgroups whose threads execute together; the leading
axis of its values counts threads, workgroup by workgroup.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...ir.numerics import Array
from ...ir.parts import Part

Triple = tuple[int, int, int]


def triple(numbers: int | Sequence[int]) -> Triple:
    """Up to three extents, completed by ones."""
    given = (numbers,) if isinstance(numbers, int) else tuple(int(n) for n in numbers)
    x, y, z = (*given, 1, 1, 1)[:3]
    return x, y, z


def coordinates(number: int, extents: Triple) -> Triple:
    """(x, y, z) of a flat number."""
    x, y, _ = extents
    return number % x, number // x % y, number // (x * y)


@dataclass(frozen=True)
class Geometry:
    """One launch: workgroups, threads of each, and lanes of a subgroup (consecutive flat thread numbers)."""

    grid: Triple
    block: Triple
    subgroup_size: int

    @property
    def workgroups(self) -> int:
        return math.prod(self.grid)

    @property
    def threads(self) -> int:
        """Threads of a workgroup."""
        return math.prod(self.block)

    @property
    def subgroups(self) -> int:
        """Subgroups of a workgroup; the last one may lack lanes."""
        return -(-self.threads // self.subgroup_size)

    def who(self, workgroup: int, thread: int) -> str:
        """Words for one thread, from its flat numbers."""
        return f"workgroup {coordinates(workgroup, self.grid)}, thread {coordinates(thread, self.block)}"


class Batch:
    """Workgroups `first` to `first + workgroups - 1`: ids as int64 arrays with an entry a thread.

    Ids that are equal for all threads have no axis.
    """

    def __init__(self, geometry: Geometry, first: int, workgroups: int) -> None:
        self.geometry = geometry
        self.first = first
        self.workgroups = workgroups
        self.size = workgroups * geometry.threads
        self.everyone = np.arange(self.size)
        self.flat = np.tile(np.arange(geometry.threads), workgroups)
        """The thread's number in its workgroup."""
        self.workgroup = np.repeat(np.arange(workgroups), geometry.threads)
        """The workgroup's number in the batch."""
        self.lane = self.flat % geometry.subgroup_size
        self.subgroup = self.workgroup * geometry.subgroups + self.flat // geometry.subgroup_size
        """The subgroup's number in the batch."""

    @cached_property
    def thread_ids(self) -> tuple[Array, Array, Array]:
        x, y, z = (self._id(self.flat, step, n) for step, n in zip(*_steps(self.geometry.block), strict=True))
        return x, y, z

    @cached_property
    def block_ids(self) -> tuple[Array, Array, Array]:
        number = self.first + (self.workgroup if self.workgroups > 1 else np.zeros((), np.int64))
        x, y, z = (self._id(number, step, n) for step, n in zip(*_steps(self.geometry.grid), strict=True))
        return x, y, z

    @cached_property
    def subgroup_ids(self) -> Array:
        """The subgroup's number in its workgroup."""
        size = self.geometry.subgroup_size
        return self.flat // size if self.geometry.subgroups > 1 else np.zeros((), np.int64)

    def of_part(self, part: Part) -> Array:
        """Which threads are in a part of their workgroup."""
        number = self.flat // self.geometry.subgroup_size
        return np.asarray((number >= part.first) & (number < part.first + part.count))

    @cached_property
    def lanes_present(self) -> Array:
        """How many lanes each thread's subgroup has."""
        return np.asarray(np.bincount(self.subgroup)[self.subgroup])

    @staticmethod
    def _id(flat: Array, step: int, extent: int) -> Array:
        return np.asarray(flat // step % extent) if extent > 1 else np.zeros((), np.int64)

    def who(self, thread: int) -> str:
        """Words for a thread of the batch."""
        workgroup, flat = divmod(thread, self.geometry.threads)
        return self.geometry.who(self.first + workgroup, flat)


def _steps(extents: Triple) -> tuple[Triple, Triple]:
    x, y, _ = extents
    return (1, x, x * y), extents
