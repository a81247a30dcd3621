"""Tensor memory of a batch's workgroups, as one thread's program has it: cells of 32 bits, and which are allocated."""

from __future__ import annotations

import numpy as np

from ..ir.numerics import Array
from ..targets.tcgen05 import COLUMNS, LANES
from .buffers import in_memory, of_memory
from .uncertainty import Maybe

Place = tuple[int | Array, Array, Array]
"""Workgroup, lane, column: they broadcast."""


class TensorMemory:
    """`cells` [workgroup, lane, column]. An address is a word: lane in its upper half, column in its lower."""

    def __init__(self, workgroups: int) -> None:
        self.cells: Array = np.zeros((workgroups, LANES, COLUMNS), np.uint32)
        self.written: Array = np.zeros(self.cells.shape, np.bool_)
        self._errors: tuple[Array, Array, Array] | None = None
        """The errors of what each cell has: see `in_memory`. None where no right execution has other bits."""
        self.permitted: Array = np.ones(workgroups, np.bool_)
        self._taken: Array = np.full((workgroups, COLUMNS), -1)
        """By column the first column of its allocation."""

    def allocate(self, workgroup: int, columns: int) -> int | None:
        """The first column; None where there is no room."""
        for first in range(0, COLUMNS - columns + 1, 32):
            if (self._taken[workgroup, first : first + columns] < 0).all():
                self._taken[workgroup, first : first + columns] = first
                self.written[workgroup, :, first : first + columns] = False
                return first
        return None

    def release(self, workgroup: int, first: int, columns: int) -> bool:
        """Whether so many were allocated there."""
        own = self._taken[workgroup] == first
        if int(own.sum()) != columns or not own[first]:
            return False
        self._taken[workgroup, own] = -1
        return True

    def is_allocated(self, workgroup: int, columns: Array) -> bool:
        return bool((columns < COLUMNS).all() and (self._taken[workgroup, columns] >= 0).all())

    def doubt(self, place: Place) -> Maybe:
        """The uncertainty of elements of which each has a cell."""
        if self._errors is None:
            return None
        worst, drift, undecided = (part[place] for part in self._errors)
        return of_memory((worst, drift, undecided))

    def put_doubt(self, place: Place, doubt: Maybe) -> None:
        if self._errors is None:
            if doubt is None:
                return
            shape = self.cells.shape
            self._errors = np.zeros(shape), np.zeros(shape), np.zeros(shape, np.bool_)
        for part, value in zip(self._errors, in_memory(doubt), strict=True):
            part[place] = value
