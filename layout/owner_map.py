"""`OwnerMap`: who holds each element of a vector or of an instruction's operand, as whole arrays.

The order of owners is the same everywhere: an owner is (thread, register). Threads count by their flat id in the
workgroup, x fastest, and subgroup and lane are its quotient and remainder by the subgroup's size. Registers of a layout
count row-major over its batches, then its outers, then its elements (`NestedLayout`); those of an instruction's operand
as the instruction takes them (`Fragment`). Where several hold an element, the first of them in this order is its
elected owner.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import Protocol

import numpy as np

from ..support.dataclasses import dataclass
from ..support.named_tuples import NamedTuple
from ..targets.fragment import Fragment, placement
from .dimension import Dimension, IntArray, LayoutError, Owners

NOBODY = -1


class Layout(Protocol):
    """What is asked of a `NestedLayout` here."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dimensions(self) -> tuple[Dimension, ...]: ...
    @property
    def registers(self) -> int: ...
    @property
    def is_held(self) -> bool: ...
    def thread_extent(self, subgroup_size: int) -> int: ...
    def replication(self, threads: int, subgroup_size: int) -> int: ...
    def wrapped(self, num_subgroups: int) -> Layout: ...
    def check(self, *, threads: int | None = None, subgroup_size: int | None = None) -> None: ...
    def coordinates(self, threads: int, subgroup_size: int) -> IntArray: ...


class Holder(NamedTuple):
    """A thread that holds an element, and the number of its register: `thread` is the flat id in the workgroup."""

    thread: int
    subgroup: int
    lane: int
    register: int

    def __str__(self) -> str:
        return f"thread {self.thread} (subgroup {self.subgroup}, lane {self.lane}), register {self.register}"


@dataclass(frozen=True, eq=False)
class OwnerMap:
    """All owners of all elements.

    Attributes:
        shape: Of the vector.
        subgroup_size: Threads of a subgroup.
        held: The row-major number of the element in each register of each thread, [threads, registers].
        first_thread: The flat id of the first of these threads, where they are a part of the workgroup.
    """

    shape: tuple[int, ...]
    subgroup_size: int
    held: IntArray
    first_thread: int = 0

    @classmethod
    def of_layout(
        cls, layout: Layout, subgroup_size: int, threads: int | None = None, first_thread: int = 0
    ) -> OwnerMap:
        """The map of a layout on `threads`, by default the whole subgroups that it needs.

        LayoutError if some element has no owner.
        """
        threads = threads or whole_subgroups(layout, subgroup_size)
        layout = layout.wrapped(max(1, threads // subgroup_size))
        layout.check(threads=threads, subgroup_size=subgroup_size)
        if not layout.is_held:
            return cls.in_memory(layout.shape, subgroup_size, threads, first_thread)
        steps = np.array([prod(layout.shape[dim + 1 :]) for dim in range(len(layout.shape))], np.int64)
        return cls(layout.shape, subgroup_size, layout.coordinates(threads, subgroup_size) @ steps, first_thread)

    @classmethod
    def of_fragment(cls, fragment: Fragment, subgroup_size: int, subgroups: int = 1) -> OwnerMap:
        """The map of an operand of a matrix instruction, registers in the order in which the instruction takes them."""
        found = placement(fragment, subgroup_size, subgroups)
        return cls(found.shape, subgroup_size, np.asarray(found.elements, np.int64))

    @classmethod
    def in_memory(cls, shape: tuple[int, ...], subgroup_size: int, threads: int, first_thread: int = 0) -> OwnerMap:
        """The map of elements that no thread holds: they stay in memory."""
        return cls(shape, subgroup_size, np.empty((threads, 0), np.int64), first_thread)

    @property
    def threads(self) -> int:
        return len(self.held)

    @property
    def registers(self) -> int:
        """Elements that a thread holds; 0 where the vector stays in memory."""
        return int(self.held.shape[1])

    @cached_property
    def elected(self) -> Owners:
        """The first owner of each element, arrays of the vector's shape; `NOBODY` where the vector stays in memory."""
        place = np.full(prod(self.shape), NOBODY, np.int64)
        elements, first = np.unique(self.held.reshape(-1), return_index=True)
        place[elements] = first
        place = place.reshape(self.shape)
        if not self.registers:
            return Owners(place, place)
        thread, register = np.divmod(place, self.registers)
        return Owners(thread + self.first_thread, register)

    @property
    def copies(self) -> int:
        """Owners of the element that has most of them."""
        return int(np.bincount(self.held.reshape(-1)).max()) if self.registers else 0

    def holders(self, element: Sequence[int]) -> list[Holder]:
        """Everyone who holds an element, in the order of owners; LayoutError for one that the vector has not."""
        shape = "x".join(map(str, self.shape)) or "one scalar"
        if len(element) != len(self.shape):
            numbers = "one number" if len(self.shape) == 1 else f"{len(self.shape)} numbers"
            raise LayoutError(f"an element of a vector of {shape} has {numbers}, found {len(element)}")
        if not all(0 <= x < n for x, n in zip(element, self.shape, strict=True)):
            raise LayoutError(f"element [{', '.join(map(str, element))}] is not in a vector of {shape}")
        number = int(np.ravel_multi_index(tuple(element), self.shape)) if self.shape else 0
        threads, registers = np.nonzero(self.held == number)
        return [self.holder(int(t), int(r)) for t, r in zip(threads, registers, strict=True)]

    def holder(self, thread: int, register: int) -> Holder:
        """An owner by the number of its thread among those of the map."""
        flat = thread + self.first_thread
        return Holder(flat, flat // self.subgroup_size, flat % self.subgroup_size, register)

    def element(self, thread: int, register: int) -> tuple[int, ...]:
        """The element in a register of a thread, which is named by its flat id; LayoutError where there is none."""
        if not 0 <= thread - self.first_thread < self.threads:
            last = self.first_thread + self.threads - 1
            raise LayoutError(f"there is no thread {thread}: the vector is of threads {self.first_thread} to {last}")
        if not 0 <= register < self.registers:
            held = f"registers 0 to {self.registers - 1}" if self.registers else "none: the vector stays in memory"
            raise LayoutError(f"there is no register {register}: a thread holds {held}")
        number = int(self.held[thread - self.first_thread, register])
        return tuple(int(x) for x in np.unravel_index(number, self.shape)) if self.shape else ()


def whole_subgroups(layout: Layout, subgroup_size: int) -> int:
    """Threads of the smallest workgroup of whole subgroups in which every element has an owner."""
    return -(-layout.thread_extent(subgroup_size) // subgroup_size) * subgroup_size
