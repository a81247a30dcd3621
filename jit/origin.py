"""Which line of the program a line of machine text comes from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ..support.dataclasses import dataclass
from ..support.diagnostics import Location
from ..support.named_tuples import NamedTuple
from ..support.patterns import regex

if TYPE_CHECKING:
    from re import Match

    from ..ir.core import Operation
    from ..pipeline.compilation import Compilation

_NO_INSTRUCTION = regex(r"\s*(?:[.(){}]|//|;|[\w$.]+:\s*(?:[;/].*)?$|$)")
_PLACE = regex(r"\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)")
_FILE = regex(r'\s*\.file\s+(\d+)\s+"((?:[^"\\]|\\.)*)"(?:\s+"((?:[^"\\]|\\.)*)")?')
"""Its number and name, the folder before it where it has one."""
_ESCAPED = regex(r"\\([0-7]{3}|.)")


class SourceFile(NamedTuple):
    """The name of a file of the program, and the text of every line of it that a mark names."""

    name: str
    rows: Mapping[int, str]


class Mark(NamedTuple):
    """From line `line` of the machine text on, instructions come from this row and column, from 1, of the file with
    this number, from 0; row 0 is unknown."""

    line: int
    file: int
    row: int
    column: int


@dataclass(frozen=True, slots=True)
class Origins:
    """The lines of a program behind the instructions of one machine text.

    Attributes:
        files: Those that marks name.
        marks: In ascending order.
    """

    files: tuple[SourceFile, ...]
    marks: tuple[Mark, ...]

    def at(self, text: str, line: int) -> str | None:
        """File, line, column and text of what line `line` (from 1) of the machine text `text` was compiled from.

        None where that is not known: the line is no instruction, or stands for the kernel as a whole.
        """
        lines = text.split("\n")
        if not 1 <= line <= len(lines) or _NO_INSTRUCTION.match(lines[line - 1]):
            return None
        mark = self.mark(line)
        if mark is None:
            return None
        file = self.files[mark.file]
        return f"{file.name}:{mark.row}:{mark.column}: {file.rows[mark.row].strip()}".removesuffix(": ")

    def mark(self, line: int) -> Mark | None:
        """What says where the instruction in that line of the machine text was compiled from; None where nothing
        does."""
        position = bisect_right(self.marks, line, key=lambda mark: mark.line)
        return self.marks[position - 1] if position and self.marks[position - 1].row else None


class Place(NamedTuple):
    """A row and column of a file, by its name; row 0 is unknown."""

    file: str
    row: int
    column: int


_UNKNOWN = Place("", 0, 0)
NOT_SAID = Origins((), ())
"""Where nothing says what the instructions come from."""


def origins_of(compilation: Compilation) -> Origins:
    """The text with lines has the same instructions, so the place is that of the instruction of the same number."""
    if compilation.kernel.op.location is None:
        return NOT_SAID
    from ..codegen.emit.lines import written_name  # who has a compilation has that, too

    texts = _texts(compilation.thread_kernel.op)
    names = {written_name(name): name for name, _ in texts}
    lines = (number for number, _ in marked_instructions(compilation.artifacts.assembly))
    places = (place for _, place in marked_instructions(compilation.artifacts_with_lines.assembly))
    files: dict[str, dict[int, str]] = {}
    marks: list[Mark] = []
    last: Place | None = None
    for line, place in zip(lines, places, strict=False):
        if place != last:
            name = names.get(place.file, place.file)
            if place.row:
                files.setdefault(name, {})[place.row] = texts.get((name, place.row), "")
            marks.append(Mark(line, list(files).index(name) if place.row else 0, place.row, place.column))
            last = place
    return Origins(tuple(SourceFile(name, rows) for name, rows in files.items()), tuple(marks))


def _texts(function: Operation) -> dict[tuple[str, int], str]:
    """The text of each line from which operations come, by the name of its file and its number."""
    found: dict[tuple[str, int], str] = {}
    for location in {op.location: None for op in function.walk()}:
        at: Location | None = location
        while at is not None:
            row = at.source.position(at.offset)[0]
            found.setdefault((at.source.name, row), at.source.line(row))
            at = at.caller
    return found


def origin_of(compilation: Compilation, line: int) -> str | None:
    """See `Origins.at`."""
    return origins_of(compilation).at(compilation.artifacts.assembly, line)


def marked_instructions(text: str) -> Iterator[tuple[int, Place]]:
    """The line of each instruction, and the place that it is marked with."""
    lines = text.split("\n")
    files = dict(_file(*found.groups("")) for line in lines if (found := _FILE.match(line)))
    place = _UNKNOWN
    for number, line in enumerate(lines, 1):
        if found := _PLACE.match(line):
            row, column = int(found[2]), int(found[3])
            place = Place(files[found[1]], row, column) if row and column else _UNKNOWN
        elif _NO_INSTRUCTION.match(line) is None:
            yield number, place


def _file(number: str, first: str, second: str) -> tuple[str, str]:
    """The number of a file, and its name as one: LLVM takes paths apart for some targets."""
    first, second = _unescaped(first), _unescaped(second)
    return number, f"{first.rstrip('/')}/{second}" if second else first


def _unescaped(text: str) -> str:
    """In strings of machine texts bytes other than plain characters are three octal digits."""

    def plain(match: Match[str]) -> str:
        return chr(int(match[1], 8)) if len(match[1]) == 3 else match[1]

    return _ESCAPED.sub(plain, text).encode("latin-1", "replace").decode("utf-8", "replace")
