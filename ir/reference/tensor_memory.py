"""Tensor memory of a batch's workgroups, as one thread's program has it: cells of 32 bits, and which are allocated."""

from __future__ import annotations

import numpy as np

from ..numerics import Array
from ..targets.tcgen05 import COLUMNS, LANES


class TensorMemory:
    """`cells` [workgroup, lane, column]. An address is a word: lane in its upper half, column in its lower."""

    def __init__(self, workgroups: int) -> None:
        self.cells: Array = np.zeros((workgroups, LANES, COLUMNS), np.uint32)
        self.written: Array = np.zeros(self.cells.shape, np.bool_)
        self.doubtful: Array = np.zeros(self.cells.shape, np.bool_)
        """Cells whose bits are not those of every right execution."""
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
