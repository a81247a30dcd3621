"""Locations in MLIR text, `loc(...)`: checked and, behind operations and arguments, left out; attributes keep them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..support.diagnostics import Source
from .attributes import LocationAttr
from .lexer import Token
from .reader import TokenReader
from .types import Attribute


class LocationParser(TokenReader):
    """Reads locations. An operation's own is where its text stands, so what the text says of it has no reader."""

    attribute_aliases: dict[str, Attribute]

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._asked: dict[str, Token] = {}
        """Aliases behind operations, which may be defined later, by name."""

    def parse_attribute(self) -> Attribute:
        """What a fused location may carry."""
        raise AssertionError("attributes are read by `attribute_parser.py`")

    def skip_location(self) -> None:
        """`loc(...)` behind an operation or an argument, where there is one."""
        if self.token.text == "loc" and self.token.kind == "word":
            self.advance()
            self.expect("(")
            alias = self.token
            if alias.kind == "hash" and alias.text not in self.attribute_aliases:
                self._asked.setdefault(alias.text, self.advance())
            else:
                self._location()
            self.expect(")")

    def check_asked_locations(self) -> None:
        """At the end of the text: every alias that stands behind an operation is defined, as a location."""
        for name, token in self._asked.items():
            if not isinstance(self.attribute_aliases.get(name), LocationAttr):
                raise self.error(f"'{name}' is no location of this text", token.start)

    def location_attribute(self) -> LocationAttr:
        """`loc(...)` among attributes, and where an alias is defined."""
        self.expect("loc")
        self.expect("(")
        text = self._location()
        self.expect(")")
        return LocationAttr(text)

    def _location(self) -> str:
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
        """`"file":1:2`, `"file":1:2 to 3:4`, `"name"` or `"name"(location)`."""
        text = self.advance().text
        if self.accept(":"):
            text += f":{self._row()}:{self._row() if self.accept(':') else 0}"
            if self.accept("to"):
                end = str(self._row()) if self.token.kind == "integer" else ""
                self.expect(":")
                text += f" to {end}:{self._row()}"
        elif self.accept("("):
            text += f"({self._location()})"
            self.expect(")")
        return text

    def _row(self) -> int:
        return int(self.expect_kind("integer", "a line or a column").text, 0)

    def unknown_location(self) -> str:
        return "unknown"

    def callsite_location(self) -> str:
        """`callsite(callee at caller)`."""
        self.expect("(")
        callee = self._location()
        self.expect("at")
        text = f"callsite({callee} at {self._location()})"
        self.expect(")")
        return text

    def fused_location(self) -> str:
        """`fused[...]` or `fused<attribute>[...]`."""
        carried = ""
        if self.accept("<"):
            carried = f"<{self.parse_attribute()}>"
            self.expect(">")
        self.expect("[")
        return f"fused{carried}[{', '.join(self.comma_separated(']', self._location))}]"


_FORMS: Mapping[str, Callable[[LocationParser], str]] = {
    "unknown": LocationParser.unknown_location,
    "callsite": LocationParser.callsite_location,
    "fused": LocationParser.fused_location,
}
