"""A tuning as people read it: its progress, and a table of what came of it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..timing.loop_time import UNCERTAIN
from .trial import Source, Trial

if TYPE_CHECKING:
    from rich.console import RenderableType

_HEADS = {"measured": "us measured", "model": "us by the model"}
_MODEL = (
    "no GPU was timed: the model (lanewise profile) is the time of the busiest resource, or of the hot loop with its"
    " waits where that is more; where several workgroups share a multiprocessor, differences below"
    f" {UNCERTAIN:.0%} say nothing"
)
_PART = "interrupted: not all candidates were tried"
Report = Callable[[Trial, int, int], object]


def lines_of(trials: Sequence[Trial], source: Source) -> list[str]:
    """A table of all trials, the fastest first."""
    rows = [_heads(trials, source), *map(_row, trials)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]


def notes_of(source: Source, is_whole: bool) -> list[str]:
    """What a reader has to know of the table."""
    return [*([_MODEL] if source == "model" else []), *([] if is_whole else [_PART])]


def table_of(trials: Sequence[Trial], source: Source, is_whole: bool) -> RenderableType:
    """The table for a terminal."""
    from rich.table import Table

    table = Table(caption="; ".join(notes_of(source, is_whole)) or None)
    for head in _heads(trials, source):
        table.add_column(head, justify="right")
    for trial in trials:
        table.add_row(*_row(trial), style="" if trial.counts else "dim")
    return table


def _heads(trials: Sequence[Trial], source: Source) -> list[str]:
    return [*(trials[0].constants if trials else ()), _HEADS[source], "verdict", ""]


def _row(trial: Trial) -> list[str]:
    time = "-" if trial.microseconds is None else f"{trial.microseconds:.2f}"
    first = trial.message.splitlines()[0] if trial.message else ""
    note = first[:80] + (" (kept)" if trial.kept else "")
    return [*map(str, trial.constants.values()), time, trial.verdict or "failed", note]


@contextmanager
def reported(progress: bool | Report) -> Generator[Report]:
    """Who is told of each trial: a bar in the terminal, a function, nobody."""
    if callable(progress):
        yield progress
    elif not progress:
        yield lambda trial, done, count: None
    else:
        from rich.progress import Progress

        with Progress(transient=True) as bar:
            task = bar.add_task("tuning", total=None)
            best = [float("inf")]

            def report(trial: Trial, done: int, count: int) -> None:
                if trial.counts and trial.microseconds is not None:
                    best[0] = min(best[0], trial.microseconds)
                said = "" if best[0] == float("inf") else f", best {best[0]:.2f} us"
                bar.update(task, completed=done, total=count, description=f"tuning{said}")

            yield report
