"""Who runs a program: the grid, the owners of its workgroups, and the ids of the owners of one batch.

An owner is a workgroup, a subgroup or a thread, as the kernel's scope says. Flat numbers have x fastest. A batch is a
run of consecutive workgroups whose owners execute together; the leading axis of its values counts owners, workgroup by
workgroup.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import TypeVar

import numpy as np

from ..ir.numerics import Array
from ..ir.program_parts import Part
from ..ir.traits import Scope
from ..support.dataclasses import dataclass

Triple = tuple[int, int, int]


def triple(numbers: int | Sequence[int]) -> Triple:
    """Up to three extents, completed by ones."""
    given = (numbers,) if isinstance(numbers, int) else tuple(int(n) for n in numbers)
    x, y, z = (*given, 1, 1, 1)[:3]
    return x, y, z


Numbers = TypeVar("Numbers", int, Array)


def coordinates(number: Numbers, extents: Triple) -> tuple[Numbers, Numbers, Numbers]:
    """(x, y, z) of a flat number."""
    x, y, _ = extents
    return number % x, number // x % y, number // (x * y)


@dataclass(frozen=True)
class Geometry:
    """One launch. Subgroups are consecutive flat thread numbers; `subgroup_size` is None where nobody said it.

    The scope is "grid" for a function that nobody launches: it has one owner and no ids.
    """

    grid: Triple
    block: Triple
    scope: Scope
    subgroup_size: int | None
    cluster: Triple = (1, 1, 1)
    """Workgroups of a cluster; all are numbered cluster by cluster."""

    @cached_property
    def together(self) -> int:
        """Workgroups of a cluster."""
        return math.prod(self.cluster)

    @property
    def workgroups(self) -> int:
        return math.prod(self.grid)

    @property
    def threads(self) -> int:
        """Threads of a workgroup."""
        return math.prod(self.block)

    @property
    def lanes(self) -> int:
        """Threads of a subgroup; all of the workgroup's where nobody said it."""
        return self.subgroup_size or self.threads

    @property
    def subgroups(self) -> int:
        """Subgroups of a workgroup; the last one may lack lanes."""
        return -(-self.threads // self.lanes)

    @cached_property
    def owners(self) -> int:
        """Owners of a workgroup."""
        return {"thread": self.threads, "subgroup": self.subgroups}.get(self.scope, 1)

    def subgroup_of(self, owner: Array) -> Array:
        """By owners' numbers in their workgroup: the subgroup that an owner is, or is in; 0 for a workgroup."""
        return np.asarray({"thread": owner // self.lanes, "subgroup": owner}.get(self.scope, owner * 0))

    def place_of(self, workgroup: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """The coordinates in the grid of workgroups by number."""
        whole, rank = workgroup // self.together, workgroup % self.together
        clusters = triple([n // size for n, size in zip(self.grid, self.cluster, strict=True)])
        first, inside = (coordinates(n, of) for n, of in ((whole, clusters), (rank, self.cluster)))
        x, y, z = (f * size + i for f, size, i in zip(first, self.cluster, inside, strict=True))
        return x, y, z

    def who(self, workgroup: int, owner: int) -> str:
        """Words for one owner, from its flat numbers; none where there is only one."""
        if self.scope == "grid":
            return ""
        place = f"workgroup {self.place_of(workgroup)}"
        if self.scope == "workgroup":
            return place
        return f"{place}, {self.scope} {coordinates(owner, self.block) if self.scope == 'thread' else owner}"


class Batch:
    """Workgroups `first` to `first + workgroups - 1`: ids as int64 arrays with an entry an owner.

    Ids that are equal for all owners have no axis.
    """

    def __init__(self, geometry: Geometry, first: int, workgroups: int) -> None:
        self.geometry = geometry
        self.first = first
        self.workgroups = workgroups
        self.size = workgroups * geometry.owners
        self.everyone = np.arange(self.size)
        self.flat = np.tile(np.arange(geometry.owners), workgroups)
        """The owner's number in its workgroup."""
        self.workgroup = np.repeat(np.arange(workgroups), geometry.owners)
        """The workgroup's number in the batch."""

    @cached_property
    def lane(self) -> Array:
        """The lanes of threads: their number in their subgroup."""
        return np.asarray(self.flat % self.geometry.lanes)

    @cached_property
    def subgroup(self) -> Array:
        """The subgroups of threads: each subgroup's number in the batch."""
        return np.asarray(self.workgroup * self.geometry.subgroups + self.flat // self.geometry.lanes)

    @cached_property
    def thread_ids(self) -> tuple[Array, Array, Array]:
        x, y, z = (self._id(self.flat, step, n) for step, n in zip(*_steps(self.geometry.block), strict=True))
        return x, y, z

    @cached_property
    def block_ids(self) -> tuple[Array, Array, Array]:
        number = self.first + (self.workgroup if self.workgroups > 1 else np.zeros((), np.int64))
        x, y, z = (
            np.asarray(place) if n > 1 else np.zeros((), np.int64)
            for place, n in zip(self.geometry.place_of(number), self.geometry.grid, strict=True)
        )
        return x, y, z

    @cached_property
    def subgroup_ids(self) -> Array:
        """The subgroup's number in its workgroup."""
        if self.geometry.subgroups == 1:
            return np.zeros((), np.int64)
        return self.flat if self.geometry.scope == "subgroup" else np.asarray(self.flat // self.geometry.lanes)

    def makers(self, instances: int) -> Array:
        """For each owner the one that has its instance of a buffer: itself, or whose thread it is."""
        if instances == self.size:
            return self.everyone
        return self.workgroup if instances == self.workgroups else self.subgroup

    def of_part(self, part: Part) -> Array:
        """Which owners are in a part of their workgroup."""
        number = self.geometry.subgroup_of(self.flat)
        return np.asarray((number >= part.first) & (number < part.first + part.count))

    @cached_property
    def lanes_present(self) -> Array:
        """How many lanes each thread's subgroup has."""
        return np.asarray(np.bincount(self.subgroup)[self.subgroup])

    @staticmethod
    def _id(flat: Array, step: int, extent: int) -> Array:
        return np.asarray(flat // step % extent) if extent > 1 else np.zeros((), np.int64)

    def who(self, owner: int) -> str:
        """Words for an owner of the batch."""
        workgroup, flat = divmod(owner, self.geometry.owners)
        return self.geometry.who(self.first + workgroup, flat)


def _steps(extents: Triple) -> tuple[Triple, Triple]:
    x, y, _ = extents
    return (1, x, x * y), extents
