"""Limits of the command line's runs, and what a terminal shows of runs and compilations that take long."""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..support.limits import PROGRESS_AFTER, Limits, Progress

if TYPE_CHECKING:
    from rich.status import Status


@contextmanager
def limited(options: argparse.Namespace) -> Generator[Limits]:
    """The limits that the options ask for. While it is open, a terminal on standard error shows the progress."""
    shown = _Line() if sys.stderr.isatty() else None
    try:
        yield Limits(seconds=options.limit_seconds, progress=None if shown is None else shown.tell)
    finally:
        if shown is not None:
            shown.close()


@contextmanager
def waiting(words: str) -> Generator[None]:
    """While it is open for longer than runs are silent, a terminal on standard error shows what is waited for."""
    if not sys.stderr.isatty():
        yield
        return
    shown = _Line()
    timer = threading.Timer(PROGRESS_AFTER, shown.say, [words])
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        shown.close()


class _Line:
    """One line that is drawn over and over, and gone in the end."""

    def __init__(self) -> None:
        self._status: Status | None = None

    def tell(self, progress: Progress) -> None:
        self.say(words_of(progress))

    def say(self, words: str) -> None:
        if self._status is None:
            from rich.console import Console

            self._status = Console(stderr=True).status(words)
            self._status.start()
        self._status.update(words)

    def close(self) -> None:
        if self._status is not None:
            self._status.stop()


def words_of(progress: Progress) -> str:
    """Such as `12 of 75 workgroups, 1,234 steps, 3 s`."""
    return (
        f"{progress.finished} of {progress.workgroups} workgroups, {progress.steps:,} steps, {progress.seconds:.0f} s"
    )
