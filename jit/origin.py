"""Which line of the program a line of machine text comes from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ..support.dataclasses import dataclass
from ..support.named_tuples import NamedTuple
from ..support.patterns import regex

if TYPE_CHECKING:
    from ..pipeline.compilation import Compilation

_NO_INSTRUCTION = regex(r"\s*(?:[.(){}]|//|;|[\w$.]+:\s*(?:[;/].*)?$|$)")
_PLACE = regex(r"\s*\.loc\s+\d+\s+(\d+)\s+(\d+)")


class Mark(NamedTuple):
    """From line `line` of the machine text on, instructions come from this row and column, from 1; 0 is unknown."""

    line: int
    row: int
    column: int


@dataclass(frozen=True, slots=True)
class Origins:
    """The lines of a program behind the instructions of one machine text.

    Attributes:
        source: The name of the program's file.
        rows: The text of every line of the program that a mark names.
        marks: In ascending order.
    """

    source: str
    rows: Mapping[int, str]
    marks: tuple[Mark, ...]

    def at(self, text: str, line: int) -> str | None:
        """File, line, column and text of what line `line` (from 1) of the machine text `text` was compiled from.

        None where that is not known: the line is no instruction, or stands for the kernel as a whole.
        """
        lines = text.split("\n")
        if not 1 <= line <= len(lines) or _NO_INSTRUCTION.match(lines[line - 1]):
            return None
        position = bisect_right(self.marks, line, key=lambda mark: mark.line)
        if not position or not self.marks[position - 1].row:
            return None
        mark = self.marks[position - 1]
        return f"{self.source}:{mark.row}:{mark.column}: {self.rows[mark.row].strip()}"


def origins_of(compilation: Compilation) -> Origins:
    """The text with lines has the same instructions, so the place is that of the instruction of the same number."""
    location = compilation.kernel.op.location
    if location is None:
        return Origins("", {}, ())
    lines = (number for number, _ in _instructions(compilation.artifacts.assembly))
    places = (place for _, place in _instructions(compilation.artifacts_with_lines.assembly))
    marks: list[Mark] = []
    for line, place in zip(lines, places, strict=False):
        if not marks or marks[-1][1:] != place:
            marks.append(Mark(line, *place))
    rows = {mark.row: location.source.line(mark.row) for mark in marks if mark.row}
    return Origins(location.source.name, rows, tuple(marks))


def origin_of(compilation: Compilation, line: int) -> str | None:
    """See `Origins.at`."""
    return origins_of(compilation).at(compilation.artifacts.assembly, line)


def _instructions(text: str) -> Iterator[tuple[int, tuple[int, int]]]:
    """The line of each instruction, and the row and column that it is marked with; zeros where one is not known."""
    place = 0, 0
    for number, line in enumerate(text.split("\n"), 1):
        if found := _PLACE.match(line):
            row, column = int(found[1]), int(found[2])
            place = (row, column) if row and column else (0, 0)
        elif _NO_INSTRUCTION.match(line) is None:
            yield number, place
