"""Copies and products that are under way: which owner's they are, in which of its groups, and how they end.

A state has an `AsyncGroups` for each way to learn that they are over, and for each part of the workgroup.
"""

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
    tells: tuple[object, Array] | None = None
    """The buffer in which barriers lie that it arrives at, and their places, one an owner."""


class _Flights:
    """Those of the `size` owners of a batch."""

    def __init__(self, size: int) -> None:
        self.groups: Array = np.zeros(size, np.int64)
        """Groups that each owner ended."""
        self._flights: list[_Flight] = []

    def begin(self, owners: Array, land: Callable[[Array], None], tells: tuple[object, Array] | None = None) -> None:
        self._flights.append(_Flight(owners, self.groups[owners], land, tells))

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
        before = np.zeros(self.groups.size, np.int64)
        before[owners] = self.groups[owners] - left
        self._land_before(before)

    def reach(self, buffer: object, places: Array) -> None:
        """Lands all arrivals at barriers that lie there, and of their owners what is in groups before these."""
        before = np.zeros(self.groups.size, np.int64)
        for flight in self._flights:
            if flight.tells is not None and flight.tells[0] is buffer:
                hit = np.isin(flight.tells[1], places)
                np.maximum.at(before, flight.owners[hit], flight.groups[hit] + 1)
        self._land_before(before)

    def _land_before(self, before: Array) -> None:
        """Lands what is in groups of owners below these numbers."""
        flights, self._flights = self._flights, []
        for flight in flights:
            due = flight.groups < before[flight.owners]
            if due.any():
                flight.land(flight.owners[due])
            if not due.all():
                tells = None if flight.tells is None else (flight.tells[0], flight.tells[1][~due])
                self._flights.append(_Flight(flight.owners[~due], flight.groups[~due], flight.land, tells))


class AsyncGroups:
    """What the `size` owners of a batch have under way that is over in the same way."""

    def __init__(self, size: int) -> None:
        self._inside, self._reading, self._leaving = _Flights(size), _Flights(size), _Flights(size)

    def begin(self, owners: Array, land: Callable[[Array], None], tells: tuple[object, Array] | None = None) -> None:
        """What ends with its program at the latest. `tells`: barriers that it arrives at, by buffer and places."""
        self._inside.begin(owners, land, tells)

    def reach(self, buffer: object, places: Array) -> None:
        """Somebody looks at barriers: what arrives there is over, and what its owners began before."""
        self._inside.reach(buffer, places)

    def begin_leaving(self, owners: Array, read: Callable[[Array], None], land: Callable[[Array], None]) -> None:
        """A copy out of workgroup memory: its source was read earlier than what it writes is there."""
        self._reading.begin(owners, read)
        self._leaving.begin(owners, land)

    def end_group(self, owners: Array) -> None:
        for flights in (self._inside, self._reading, self._leaving):
            flights.groups[owners] += 1

    def wait(self, owners: Array, left: int, *, reads_only: bool = False) -> None:
        """For all groups of `owners`, but for the `left` newest of each."""
        for flights in (self._reading,) if reads_only else (self._inside, self._reading, self._leaving):
            flights.wait(owners, left)

    def ended(self, owners: Array) -> int:
        """The fewest groups that any of these owners has ended."""
        return int(self._inside.groups[owners].min()) if owners.size else 0

    @property
    def read_from(self) -> Array:
        """The owners of copies whose source may not have been read yet."""
        return self._reading.left

    def end(self) -> None:
        """Its program is over: what leaves it arrives."""
        self._leaving.end()
