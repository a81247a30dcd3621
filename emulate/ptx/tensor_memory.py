"""Tensor memory of a batch's workgroups: 128 lanes by 512 columns of 32 bits, of which columns are allocated.

PTX ISA, "Tensor Memory". An address is a word: lane in its upper half, column in its lower.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ...support.dataclasses import dataclass
from ...support.named_tuples import NamedTuple

Array = npt.NDArray[Any]

LANES, COLUMNS = 128, 512
LEAST = 32
"""Columns of an allocation: this, or a power of two times it."""
BYTES = LANES * COLUMNS * 5
"""What a workgroup's costs here."""


class Area(NamedTuple):
    """Lanes, as bits of a number, and columns from `first` up to `end`."""

    lanes: int
    first: int
    end: int

    @classmethod
    def of(cls, lanes: Array, first: int, columns: int) -> Area:
        return cls(sum(1 << int(lane) for lane in np.unique(lanes)), first, first + columns)

    def meets(self, other: Area) -> tuple[int, int] | None:
        """The first lane and column of both; None where there are none."""
        lanes, column = self.lanes & other.lanes, max(self.first, other.first)
        if not lanes or column >= min(self.end, other.end):
            return None
        return (lanes & -lanes).bit_length() - 1, column

    def holds(self, other: Area) -> bool:
        return not other.lanes & ~self.lanes and self.first <= other.first and other.end <= self.end


@dataclass
class Allocation:
    """Columns that a warp, whose first lane is `lane`, took with instruction `site`."""

    first: int
    columns: int
    lane: int
    site: int


class TensorMemory:
    """`cells` [workgroup, lane, column]; `written` says which of them anybody has written."""

    def __init__(self, workgroups: int) -> None:
        self.cells: Array = np.zeros((workgroups, LANES, COLUMNS), np.uint32)
        self.written: Array = np.zeros(self.cells.shape, np.bool_)
        self.permitted: Array = np.ones(workgroups, np.bool_)
        """Whether the workgroup still allocates."""
        self._taken: list[list[Allocation]] = [[] for _ in range(workgroups)]
        self._given_back: list[list[tuple[Allocation, int]]] = [[] for _ in range(workgroups)]

    def room(self, workgroup: int, columns: int) -> int | None:
        """Where so many columns are free, one after another."""
        first = 0
        for taken in self._taken[workgroup]:
            if taken.first - first >= columns:
                break
            first = taken.first + taken.columns
        return first if first + columns <= COLUMNS else None

    def free(self, workgroup: int) -> int:
        """How many columns are."""
        return COLUMNS - sum(taken.columns for taken in self._taken[workgroup])

    def allocate(self, workgroup: int, columns: int, lane: int, site: int) -> int:
        """Where there is room: the first column."""
        first = self.room(workgroup, columns)
        assert first is not None, "whoever allocates waits for room"
        self._taken[workgroup].append(Allocation(first, columns, lane, site))
        self._taken[workgroup].sort(key=lambda taken: taken.first)
        self.written[workgroup, :, first : first + columns] = False
        return first

    def release(self, workgroup: int, first: int, columns: int, line: int) -> str:
        """What is wrong with giving these columns back; nothing where they now are."""
        for taken in self._taken[workgroup]:
            if taken.first == first:
                if taken.columns != columns:
                    return f"gives {columns} columns back where {taken.columns} were allocated"
                self._taken[workgroup].remove(taken)
                self._given_back[workgroup].append((taken, line))
                return ""
        return f"gives columns back from {first} on, {self._history(workgroup, first, 'where no allocation begins')}"

    def unallocated(self, workgroup: int, area: Area) -> str:
        """What is wrong with using an area; nothing where all of it is allocated."""
        if area.end > COLUMNS or area.lanes >> LANES:
            lane = area.lanes.bit_length() - 1
            return f"tensor memory has {LANES} lanes and {COLUMNS} columns, found lane {lane}, column {area.end - 1}"
        column = area.first
        for taken in self._taken[workgroup]:
            if taken.first <= column < taken.first + taken.columns:
                column = taken.first + taken.columns
        if column >= area.end:
            return ""
        return f"uses column {column}, {self._history(workgroup, column, 'which is not allocated')}"

    def _history(self, workgroup: int, column: int, never: str) -> str:
        for taken, line in reversed(self._given_back[workgroup]):
            if taken.first <= column < taken.first + taken.columns:
                return f"which the dealloc of line {line} gave back"
        return never

    def left(self) -> tuple[int, Allocation] | None:
        """A workgroup and what it has not given back."""
        return next(((number, taken[0]) for number, taken in enumerate(self._taken) if taken), None)

    def unwritten(self, workgroup: int, lanes: Array, columns: Array) -> tuple[int, int] | None:
        """The first lane and column, among cells [...], that nobody has written."""
        missing = ~self.written[workgroup, lanes, columns]
        if not missing.any():
            return None
        place = int(np.flatnonzero(missing.reshape(-1))[0])
        whole = np.broadcast_arrays(lanes, columns)
        return int(whole[0].reshape(-1)[place]), int(whole[1].reshape(-1)[place])

    def write(self, workgroup: int, lanes: Array, columns: Array, values: Array) -> None:
        self.cells[workgroup, lanes, columns] = values
        self.written[workgroup, lanes, columns] = True
