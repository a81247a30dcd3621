"""Tables for people: drawn on a terminal, aligned columns elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from ..check.report import Report, Verdict

WIDTH = 80
"""Columns that a terminal has at least."""


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> None:
    """Prints rows of text below the names of their columns."""
    if sys.stdout.isatty():
        _draw(columns, rows, title)
        return
    if title:
        print(title)
    widths = [max(len(cell) for cell in column) for column in zip(columns, *rows, strict=True)]
    for row in (columns, *rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


EXIT_CODES: Mapping[Verdict, int] = {"right": 0, "WRONG": 1, "not judged": 3}
"""The exit codes of the commands that give a verdict; 2 is wrong input."""
_COLOURS: Mapping[Verdict, int] = {"right": 32, "WRONG": 31, "not judged": 33}


def print_verdict(verdict: Verdict, report: Report) -> None:
    """One line that says whether all is right, in colour on a terminal, and whether the grid left something out."""
    word = f"\033[1;{_COLOURS[verdict]}m{verdict}\033[0m" if sys.stdout.isatty() else verdict
    print(f"{word}{_limits(report)}" if verdict == "right" else word)


def _limits(report: Report) -> str:
    if not any(check.comparisons or check.printed for check in report.checks):
        return ", but it writes and prints nothing that could be compared"
    for left, verb in ((report.unwritten, "written"), (report.unread, "read")):
        if left:
            return f" where something is {verb}; {left} are not: is grid {report.grid} all of it?"
    return ""


def _draw(columns: Sequence[str], rows: Sequence[Sequence[str]], title: str) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*columns, title=title or None, box=SIMPLE_HEAD, title_justify="left")
    for row in rows:
        table.add_row(*(Text(cell, style=_STYLES.get(cell, "")) for cell in row))
    Console().print(table)


_STYLES = {
    "ok": "green",
    "right": "green",
    "rule": "green",
    "MISMATCH": "bold red",
    "WRONG": "bold red",
    "HOLE": "bold red",
}
