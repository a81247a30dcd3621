"""What waves of a batch have begun and go on without: it ends when a wait of its wave says that it is done, or earlier.

Operations that one counter counts end in the order in which their wave began them, so a wait that leaves n of them
leaves the n newest.
"""

from __future__ import annotations

from typing import Any, Protocol, Self

import numpy as np

from .group import Group
from .loads_stores import Access
from .wave_values import Array

COUNTERS = ("load", "async", "tensor")
"""Those that count what is followed here."""


class Begun(Protocol):
    """One issued instruction: entries by what ends at once. `number`: how many operations of its counter the wave of
    each entry had issued before. `tells`: barriers that each arrives at when it ends, by position."""

    @property
    def counter(self) -> str: ...
    @property
    def waves(self) -> Array: ...
    @property
    def number(self) -> Array: ...
    @property
    def tells(self) -> Array | None: ...

    def part(self, chosen: Array) -> Self: ...
    def land(self, batch: Any) -> None: ...


class UnderWay(Access):
    """Adds it to a batch."""

    def __init__(self, *arguments: Any) -> None:
        Access.__init__(self, *arguments)
        self.issued: dict[str, Array] = {counter: np.zeros(self.waves, np.int64) for counter in COUNTERS}
        """Operations of each wave, by counter, where the program has any that are followed."""
        self._under_way: list[Begun] = []

    def begin(self, one: Begun) -> None:
        self._under_way.append(one)

    def count_memory(self, group: Group, counter: str) -> None:
        """An operation of the counter was issued."""
        self.issued[counter][group.waves] += 1

    def wait_copies(self, group: Group, counter: str, left: int) -> None:
        """Ends what the group's waves have begun, but for what is among their `left` newest of the counter."""
        before = np.zeros(self.waves, np.int64)
        before[group.waves] = self.issued[counter][group.waves] - left
        self._end_before(counter, before)

    def reach(self, barriers: Array) -> None:
        """Ends all that arrives at these barriers, and what their waves have begun before."""
        for counter in COUNTERS:
            before = np.zeros(self.waves, np.int64)
            for one in self._under_way:
                if one.counter == counter and one.tells is not None:
                    hit = np.isin(one.tells, barriers)
                    np.maximum.at(before, one.waves[hit], one.number[hit] + 1)
            if before.any():
                self._end_before(counter, before)

    def _end_before(self, counter: str, before: Array) -> None:
        """Ends what has a number of the counter that is less than its wave's."""
        under_way, self._under_way = self._under_way, []
        for one in under_way:
            due = (one.number < before[one.waves]) & (one.counter == counter)
            if due.all():
                one.land(self)
            elif due.any():
                one.part(due).land(self)
                self._under_way.append(one.part(~due))
            else:
                self._under_way.append(one)
