"""The barriers of a batch's clusters: how often each owner has arrived and waited, and what was told."""

from __future__ import annotations

import numpy as np

from ..ir.numerics import Array


class Meetings:
    """The meetings of the `size` owners of a batch."""

    def __init__(self, size: int) -> None:
        self.arrivals: Array = np.zeros(size, np.int64)
        self.waits: Array = np.zeros(size, np.int64)
        self._told: dict[tuple[str, int], Array] = {}

    def tell(self, space: str, number: int, told: Array) -> None:
        """What owners did to a memory before meeting `number`; of the last but one all have heard by now."""
        self._told.pop((space, number - 2), None)
        self._told[space, number] = np.maximum(self._told.get((space, number), 0), told)

    def told(self, space: str, number: int) -> Array | None:
        """None where nobody told anything."""
        return self._told.get((space, number))
