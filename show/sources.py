"""The text that a user wrote, and the parts of its lines from which operations come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from ..support.diagnostics import Location, Source
from ..support.named_tuples import NamedTuple

SOURCE = "source"


class Span(NamedTuple):
    """A part of one line, from column `first` to before `last`; they and the line are counted from 0."""

    line: int
    first: int
    last: int


class _Part(NamedTuple):
    """What one place is about: its first and last character, by its source; no end: as far as the line goes."""

    source: Source
    offset: int
    end: int | None


class Written:
    """The files from which operations come, one below the other, and their parts by number."""

    def __init__(self, places_of_operations: Iterable[Location | None]) -> None:
        self._first: dict[Source, int] = {}
        """The line of a source's first line."""
        self._numbers: dict[_Part, int] = {}
        self.lines: tuple[str, ...] = ()
        self.numbers: tuple[int | None, ...] = ()
        """The number that its file gives to each line; None for the name of a file."""
        self.spans: tuple[tuple[Span, ...], ...] = ()
        for location in places_of_operations:
            for place in places(location):
                if place.source.text:
                    self._add(_Part(place.source, place.offset, place.end))

    def _add(self, part: _Part) -> None:
        if part in self._numbers:
            return
        if part.source not in self._first:
            self._add_source(part.source)
        self._numbers[part] = len(self._numbers)
        self.spans += (tuple(self._pieces(part)),)

    def _add_source(self, source: Source) -> None:
        lines = source.text.removesuffix("\n").split("\n")
        self.lines += (source.name,)
        self._first[source] = len(self.lines)
        self.lines += tuple(lines)
        self.numbers += (None, *range(source.first, source.first + len(lines)))

    def _pieces(self, part: _Part) -> Iterator[Span]:
        source, first = part.source, self._first[part.source]
        row, column = source.position(part.offset)
        last, end = (row, None) if part.end is None else source.position(part.end)
        for number in range(row, last + 1):
            text = source.line(number)
            begin = column - 1 if number == row else len(text) - len(text.lstrip())
            stop = end - 1 if end is not None and number == last else len(text.rstrip())
            if stop > begin:
                yield Span(first + number - source.first, begin, stop)

    def numbers_at(self, location: Location | None) -> tuple[int, ...]:
        """The spans from which what stands there comes."""
        parts = (_Part(place.source, place.offset, place.end) for place in places(location))
        return tuple(dict.fromkeys(self._numbers[part] for part in parts if part in self._numbers))

    @property
    def language(self) -> Literal["python", "mlir"]:
        names = [source.name for source in self._first]
        return "python" if any(name.endswith(".py") for name in names) else "mlir"


def places(location: Location | None) -> Iterator[Location]:
    """A place, whoever called what stands there, and where else there is the same."""
    if location is None:
        return
    for place in (location, *location.also):
        at: Location | None = place
        while at is not None:
            yield at
            at = at.caller
