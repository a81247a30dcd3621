"""Which brace is missing where a text ends inside a region: the parser knows the outermost one, indentation tells more.

A '}' stands below the beginning of its operation's first line; one that does not closes another's region.
"""

from __future__ import annotations

from ..support.diagnostics import Location, Source

Note = tuple[str, Location | None]


class Braces:
    """The regions of one text, as they are read."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._astray: tuple[int, int] | None = None

    def closed(self, begun: int, opening: int, closing: int) -> None:
        """A region of the operation that begins at `begun`. Offsets in the text."""
        if self._astray is None and self._indent(closing) not in (None, self._column(begun)):
            self._astray = opening, closing

    def notes(self, opening: int) -> list[Note]:
        """Notes on the brace of a region that is not closed."""
        found: list[Note] = [("the region begins here", Location(self._source, opening))]
        if self._astray is not None:
            first, last = self._astray
            line, _ = self._source.position(last)
            found.append((f"or here: the '}}' on line {line} is indented otherwise", Location(self._source, first)))
        return found

    def _column(self, offset: int) -> int:
        """Where the first word of the line stands."""
        start = self._source.text.rfind("\n", 0, offset) + 1
        before = self._source.text[start : offset + 1]
        return len(before) - len(before.lstrip())

    def _indent(self, offset: int) -> int | None:
        """The indentation of a brace that nothing stands before."""
        start = self._source.text.rfind("\n", 0, offset) + 1
        return None if self._source.text[start:offset].strip() else offset - start
