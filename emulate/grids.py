"""Grids that may begin before those before them have ended (programmatic dependent launch), whom they must not meet.

Here such a grid runs after the one before it, too, but may not count on that: what that one wrote is there for a thread
once it has waited (`griddepcontrol.wait`). An access before that, of bytes that a grid touched which may still be under
way, is a race where one of the two is a write, whether or not that grid has said that others may begin (PTX ISA,
"griddepcontrol": what it wrote is visible behind the wait alone).

A grid is over only when those are that one of its threads has waited for. So who waits for a grid that has not waited
itself knows nothing of the grids before that.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..support.dataclasses import replace
from .access_history import Past
from .access_records import Earlier, Race, Record
from .faults import Place

Array = npt.NDArray[Any]
_MOST = 4
"""So many grids are looked at that may be under way at once; older ones are taken to be over."""


class Grid:
    """One launch of a kernel: what it touched, and the grids before it that may be under way meanwhile.

    Args:
        kernel: Its name.
        before: The grid before it, where this one may begin before that has ended; None where all before it are over.
    """

    def __init__(self, kernel: str, before: Grid | None = None) -> None:
        self.kernel = kernel
        self._has_waited = False
        self._told_early = False
        """Whether a thread that had not waited said that dependents may begin."""
        self._unfinished: tuple[Grid, ...] = ()
        """Those that may be under way when it begins."""
        self._unknown: tuple[Grid, ...] = ()
        """Those of them that may be under way even for a thread that has waited."""
        if before is not None:
            self._unfinished = (before, *before.meanwhile)[:_MOST]
            self._unknown = () if before._has_waited else before._unfinished
            before._unfinished = before._unknown = ()  # it is over here, and keeps nobody
        self._waited: Array = np.zeros(0, np.bool_)
        """By thread of the batch."""
        self._past: Callable[[], Past] | None = None
        self._earlier: Earlier | None = None

    @property
    def begins_early(self) -> bool:
        """Whether a grid before it may be under way when it begins."""
        return bool(self._unfinished)

    @property
    def meanwhile(self) -> tuple[Grid, ...]:
        """The grids before it that may be under way when all of its workgroups have said that others may begin."""
        return () if self._has_waited and not self._told_early else self._unfinished

    def started(self, past: Callable[[], Past], place_of: Callable[[int, int], Place]) -> None:
        """What gives all that it touched, and who did; see `Earlier`."""
        self._past, self._earlier = past, Earlier(self.kernel, place_of)

    @cached_property
    def past(self) -> Past:
        assert self._past is not None, "a grid that has not started touched nothing"
        found, self._past = self._past(), None
        return found

    # ---- while it runs ----

    def begin(self) -> None:
        """A batch."""
        self._waited = np.zeros(0, np.bool_)

    def wait(self, lanes: Array) -> None:
        """These threads of the batch have waited."""
        if self._unfinished:
            self._has_waited = True
            missing = int(lanes.max(initial=-1)) + 1 - self._waited.size
            self._waited = np.pad(self._waited, (0, max(0, missing)))
            self._waited[lanes] = True

    def launch_dependents(self, lanes: Array) -> None:
        """These threads say that grids may begin that depend on this one."""
        self._told_early |= not self._have_waited(lanes).all()

    def _have_waited(self, lanes: Array) -> Array:
        return np.pad(self._waited, (0, max(0, int(lanes.max(initial=-1)) + 1 - self._waited.size)))[lanes]

    def check(self, record: Record) -> None:
        """Raises `Race` for an access of what a grid touched that may be under way."""
        if not record.flat.size:
            return
        early = ~self._have_waited(record.lanes)
        own = record if early.all() else _part(record, early)
        for grid in self._unfinished:
            grid.meet(own if grid not in self._unknown else record)

    def meet(self, record: Record) -> None:
        """Raises `Race` where an access of another grid meets one of this."""
        if record.flat.size:
            try:
                self.past.check_others(record)
            except Race as race:
                race.earlier = self._earlier
                raise


def _part(record: Record, chosen: Array) -> Record:
    values = None if record.values is None else [np.broadcast_to(v, record.flat.shape)[chosen] for v in record.values]
    return replace(record, flat=record.flat[chosen], lanes=record.lanes[chosen], values=values)
