"""A group of threads that execute together, and what each block of code needs to know about it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Group:
    """`mask[lane]` over all lanes of a batch (warps are padded to 32 lanes).

    `merge` is what register writes are merged under: None when every live thread is in the group, since nobody reads
    the registers of the others.
    """

    __slots__ = ("_index", "_warps", "count", "mask", "merge")

    def __init__(self, mask: Array, count: int | None = None) -> None:
        self.mask = mask
        self.count = int(np.count_nonzero(mask)) if count is None else count
        self.merge: Array | None = mask
        self._index: Array | None = None
        self._warps = -1

    @property
    def everyone(self) -> bool:
        """Whether every lane of the batch is here."""
        return self.count == self.mask.size

    @property
    def index(self) -> Array:
        """The lanes, in order."""
        if self._index is None:
            self._index = np.flatnonzero(self.mask)
        return self._index

    @property
    def warps(self) -> int:
        """In how many warps the group has lanes."""
        if self._warps < 0:
            self._warps = int(np.count_nonzero(self.mask.reshape(-1, 32).any(axis=1)))
        return self._warps

    def narrow(self, predicate: Array) -> Group:
        """Those for whom the predicate holds."""
        if np.ndim(predicate) == 0:
            return self if predicate else Group(np.zeros_like(self.mask), 0)
        return Group(self.mask & predicate)
