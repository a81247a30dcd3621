"""Locations in MLIR text, `loc(...)`: operations are where the text says, and keep its words; those of arguments go."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

from ..support.diagnostics import Location, Source, Stated
from .attributes import LocationAttr
from .core import Operation
from .lexer import Token
from .reader import TokenReader, unescape
from .types import Attribute


class LocationParser(TokenReader):
    """Reads locations."""

    attribute_aliases: dict[str, Attribute]

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.sources: Mapping[str, Source] = {}
        """Files whose text is known, by name."""
        self._rows: dict[tuple[str, int], Source] = {}
        """Files of which no more is known than that they have this row."""
        self._places: dict[str, Location | None] = {}
        """By the words of a location; None where they name no place in a file."""
        self._asked: list[tuple[Token, Sequence[Operation]]] = []
        """Aliases behind operations and arguments, which may be defined later."""

    def parse_attribute(self) -> Attribute:
        """What a fused location may carry."""
        raise AssertionError("attributes are read by `attribute_parser.py`")

    def read_location(self, operations: Sequence[Operation] = ()) -> None:
        """`loc(...)` behind operations, or behind an argument, where there is one."""
        if self.token.text == "loc" and self.token.kind == "word":
            self.advance()
            self.expect("(")
            alias = self.token
            if alias.kind == "hash" and alias.text not in self.attribute_aliases:
                self._asked.append((self.advance(), operations))
            else:
                self._put(self._location(), operations)
            self.expect(")")

    def put_asked_locations(self) -> None:
        """At the end of the text: every alias that stands behind an operation is defined, as a location."""
        for token, operations in self._asked:
            found = self.attribute_aliases.get(token.text)
            if not isinstance(found, LocationAttr):
                raise self.error(f"'{token.text}' is no location of this text", token.start)
            self._put(found.text, operations)

    def _put(self, words: str, operations: Sequence[Operation]) -> None:
        place = self._places[words]
        for op in operations:
            assert op.location is not None
            op.location = (place or op.location)._replace(stated=Stated(words, op.location))

    def location_attribute(self) -> LocationAttr:
        """`loc(...)` among attributes, and where an alias is defined."""
        self.expect("loc")
        self.expect("(")
        text = self._location()
        self.expect(")")
        return LocationAttr(text)

    def _location(self) -> str:
        """The words, whose place is known then."""
        with self.nested:
            token = self.token
            if token.kind == "string":
                return self._named_or_file()
            if token.kind == "hash":
                return self._alias()
            if token.kind == "word" and token.text in _FORMS:
                self.advance()
                return _FORMS[token.text](self)
            return self.fail("a location")

    def _alias(self) -> str:
        token = self.advance()
        found = self.attribute_aliases.get(token.text)
        if not isinstance(found, LocationAttr):
            raise self.error(f"'{token.text}' is no location of this text", token.start)
        return found.text

    def _named_or_file(self) -> str:
        """`"file":1:2`, `"file":1:2 to 3:4`, `"name"` or `"name"(location)`, a place in the function of that name."""
        text = self.advance().text
        name, place = unescape(text[1:-1]), None
        if self.accept(":"):
            row, column = self._row(), self._row() if self.accept(":") else 0
            text += f":{row}:{column}"
            end = row, column
            if self.accept("to"):
                last = self._row() if self.token.kind == "integer" else None
                self.expect(":")
                end = row if last is None else last, self._row()
                text += f" to {'' if last is None else last}:{end[1]}"
            place = self._in_file(name, (row, column), end)
        elif self.accept("("):
            inner = self._location()
            self.expect(")")
            text += f"({inner})"
            place = self._places[inner]
            place = place and place._replace(function=place.function or name)
        return self._known(text, place)

    def _known(self, words: str, place: Location | None) -> str:
        self._places[words] = place
        return words

    def _in_file(self, name: str, begin: tuple[int, int], end: tuple[int, int]) -> Location | None:
        """A place in a file, of which no more may be known than the row; None for row 0, which says that it is not."""
        row, column = begin[0], max(begin[1], 1)
        if not row:
            return None
        known = self.sources.get(name)
        if known is not None and known.has(row, column):
            last = known.offset(*end) if end > begin and known.has(*end) else None
            return Location(known, known.offset(row, column), last)
        source = self._rows.setdefault((name, row), Source("", name, row))
        return Location(source, column - 1, end[1] - 1 if end[0] == row and end > begin else None)

    def _row(self) -> int:
        return int(self.expect_kind("integer", "a line or a column").text, 0)

    def unknown_location(self) -> str:
        return self._known("unknown", None)

    def callsite_location(self) -> str:
        """`callsite(callee at caller)`."""
        self.expect("(")
        callee = self._location()
        self.expect("at")
        caller = self._location()
        self.expect(")")
        return self._known(f"callsite({callee} at {caller})", _called(self._places[callee], self._places[caller]))

    def fused_location(self) -> str:
        """`fused[...]` or `fused<attribute>[...]`, of what became one: its first place, and also the others."""
        carried = ""
        if self.accept("<"):
            carried = f"<{self.parse_attribute()}>"
            self.expect(">")
        self.expect("[")
        parts = self.comma_separated("]", self._location)
        known = [place for part in parts if (place := self._places[part]) is not None]
        place = reduce(Location.joined, known) if known else None
        return self._known(f"fused{carried}[{', '.join(parts)}]", place)


def _called(callee: Location | None, caller: Location | None) -> Location | None:
    """A place in a function that was called at another."""
    if callee is None or caller is None:
        return callee or caller
    return callee._replace(caller=caller if callee.caller is None else _called(callee.caller, caller))


_FORMS: Mapping[str, Callable[[LocationParser], str]] = {
    "unknown": LocationParser.unknown_location,
    "callsite": LocationParser.callsite_location,
    "fused": LocationParser.fused_location,
}
