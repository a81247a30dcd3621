"""Copies and products that are under way: which owner's they are, in which of its groups, and how they end."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..ir.numerics import Array
from ..support.dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class _Flight:
    owners: Array
    groups: Array
    """The number of the group that it belongs to, one an owner."""
    land: Callable[[Array], None]
    """Ends those of some of the owners: carries out copies, checks what products have read."""


class Flights:
    """Those of the `size` owners of a batch."""

    def __init__(self, size: int) -> None:
        self._groups: Array = np.zeros(size, np.int64)
        """Groups that each owner ended."""
        self._flights: list[_Flight] = []

    def begin(self, owners: Array, land: Callable[[Array], None]) -> None:
        self._flights.append(_Flight(owners, self._groups[owners], land))

    def end_group(self, owners: Array) -> None:
        self._groups[owners] += 1

    @property
    def left(self) -> Array:
        """The owners who have some under way."""
        return np.concatenate([flight.owners for flight in self._flights] or [np.zeros(0, np.int64)])

    def end(self) -> None:
        """Lands all of them."""
        flights, self._flights = self._flights, []
        for flight in flights:
            flight.land(flight.owners)

    def wait(self, owners: Array, left: int) -> None:
        """Lands what is in groups of `owners`, but for the `left` newest of each."""
        waiting = np.zeros(self._groups.size, np.bool_)
        waiting[owners] = True
        flights, self._flights = self._flights, []
        for flight in flights:
            due = waiting[flight.owners] & (flight.groups < self._groups[flight.owners] - left)
            if due.any():
                flight.land(flight.owners[due])
            if not due.all():
                self._flights.append(_Flight(flight.owners[~due], flight.groups[~due], flight.land))
