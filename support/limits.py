"""How long one run may go on, and who is told how far it is: for the reference, the interpreter and the emulators."""

from __future__ import annotations

import time
from collections.abc import Callable

from .argument_checks import require
from .dataclasses import dataclass
from .diagnostics import LanewiseError

PROGRESS_AFTER = 1.0
"""Seconds after which the first progress is told."""
PROGRESS_EVERY = 0.5
_CALLS_PER_LOOK = 16
"""How often a meter counts before it looks at the clock."""


@dataclass(frozen=True)
class Progress:
    """How far a run is: its seconds, its steps, and how many of the grid's workgroups are through."""

    seconds: float
    steps: int
    finished: int
    workgroups: int


@dataclass(frozen=True)
class Limits:
    """What one run of a kernel may take before it is stopped with a report of where its threads stand.

    A step is an operation of the reference or the interpreter for all owners of a batch, or an instruction of an
    emulator for all warps or waves that execute it together. A single step is never cut short.
    `progress` is called now and then once a run takes longer than `PROGRESS_AFTER` seconds.
    """

    seconds: float = 600.0
    steps: int = 10**11
    progress: Callable[[Progress], None] | None = None

    def __post_init__(self) -> None:
        for name, limit in (("seconds", self.seconds), ("steps", self.steps)):
            require(limit, (int, float), f"a number of {name}")
            if not limit > 0:
                raise LimitError(f"a number of {name} above 0 is expected, found {limit}")


class LimitError(LanewiseError, ValueError):
    """A limit lets nothing run."""


GENEROUS = Limits()


class Meter:
    """Counts the steps of one run and looks at the clock."""

    def __init__(self, limits: Limits, workgroups: int) -> None:
        self._limits = limits
        self._workgroups = workgroups
        self._finished = 0
        self._steps = 0
        self._calls = 0
        self._start = time.monotonic()
        self._next = PROGRESS_AFTER if limits.progress is not None else float("inf")

    def spend(self, steps: int) -> str:
        """Counts `steps` more; gives the limit that is reached in words, empty while there is none."""
        self._steps += steps
        self._calls += 1
        if self._calls % _CALLS_PER_LOOK and self._steps <= self._limits.steps:
            return ""
        return self._look()

    def finish(self, workgroups: int) -> None:
        """So many more workgroups are through."""
        self._finished += workgroups

    def _look(self) -> str:
        limits, seconds = self._limits, time.monotonic() - self._start
        if self._steps > limits.steps:
            return f"stopped at the limit of {limits.steps:,} steps, after {seconds:.1f} seconds"
        if seconds > limits.seconds:
            return f"stopped at the limit of {limits.seconds:g} seconds, after {self._steps:,} steps"
        if seconds > self._next and limits.progress is not None:
            self._next = seconds + PROGRESS_EVERY
            limits.progress(Progress(seconds, self._steps, self._finished, self._workgroups))
        return ""
