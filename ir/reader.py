"""The small words of a recursive-descent parser: what every reader of types, attributes and operations is made of."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NoReturn, TypeVar

from ..support.diagnostics import Location, Source
from ..support.patterns import regex
from .lexer import Lexer, Token

MAX_NESTING = 64
"""The most levels of types, attributes and affine expressions in one another: they print, compare and hash themselves
by recursion."""
MAX_REGIONS = 256
"""The most levels of regions in one another: `deep_recursion.py` says why that is no matter of Python's stack."""

_OPENING = {")": "(", "]": "[", "}": "{", ">": "<"}

Item = TypeVar("Item")


class Nesting:
    """A counter that a `with` statement raises by one; inside, `depth` is at most `limit`."""

    def __init__(self, reader: TokenReader, limit: int, what: str = "") -> None:
        self.reader = reader
        self.what = what
        self.limit = limit
        self.depth = 0

    def __enter__(self) -> None:
        if self.depth == self.limit:
            raise self.reader.error(f"{self.what}nested more than {self.limit} deep")
        self.depth += 1

    def __exit__(self, *error: object) -> None:
        self.depth -= 1


class TokenReader(Lexer):
    """Accepts or demands the next token."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.nested = Nesting(self, MAX_NESTING)
        self.nested_regions = Nesting(self, MAX_REGIONS, "regions ")

    def found(self) -> str:
        """The next token, as messages name it."""
        return self.token.text if self.token.kind == "end" else f"'{self.token.text}'"

    def fail(self, expected: str) -> NoReturn:
        raise self.error(f"expected {expected}, found {self.found()}")

    def accept(self, text: str) -> bool:
        """Consumes punctuation or a word if it comes next."""
        token = self.token
        if token.text == text and token.kind in ("punctuation", "word"):
            self.token = self._following()
            return True
        return False

    def expect(self, text: str) -> None:
        token = self.token
        if token.text != text or token.kind not in ("punctuation", "word"):
            self.fail(f"'{text}'")
        self.token = self._following()

    def expect_kind(self, kind: str, words: str) -> Token:
        token = self.token
        if token.kind != kind:
            self.fail(words)
        self.token = self._following()
        return token

    def keyword(self, choices: Sequence[str] = ()) -> str:
        if self.token.kind != "word" or (choices and self.token.text not in choices):
            self.fail("one of " + ", ".join(choices) if choices else "a keyword")
        return self.advance().text

    def integer(self) -> int:
        """A number of at most 64 bits; `-` may stand before it."""
        start = self.token.start
        negative = self.accept("-")
        number = integer_value(self.expect_kind("integer", "an integer").text)
        if number >= 1 << 63:
            raise self.error(f"{'-' if negative else ''}{number} does not fit in 64 bits", start)
        return -number if negative else number

    def string(self) -> str:
        return unescape(self.expect_kind("string", "a string").text[1:-1])

    def symbol(self) -> str:
        text = self.expect_kind("symbol", "a symbol name such as @name").text[1:]
        return unescape(text[1:-1]) if text.startswith('"') else text

    def comma_separated(self, close: str, item: Callable[[], Item]) -> list[Item]:
        """Items up to and including the closing token."""
        items: list[Item] = []
        begin = self.token.start
        if self.accept(close):
            return items
        while True:
            items.append(item())
            if self.accept(close):
                return items
            if not self.accept(","):
                opening = self.text.rfind(_OPENING[close], 0, begin)
                is_above = "\n" in self.text[opening : self.token.start]
                notes = [(f"'{_OPENING[close]}' stands here", Location(self.source, opening))] * is_above
                raise self.error(f"expected ',' or '{close}', found {self.found()}", notes=notes)

    def integer_list(self) -> list[int]:
        """`[1, 2]`."""
        self.expect("[")
        return self.comma_separated("]", self.integer)

    def skip_resources(self) -> bool:
        """`{-# .. #-}`, behind the program: bytes by name, and what tools keep there."""
        start = self.token.start
        if not self.text.startswith("{-#", start):
            return False
        end = self.text.find("#-}", start)
        if end < 0:
            raise self.error("resources are never closed: expected '#-}'", start)
        self.rewind(end + 3)
        return True

    def resource(self, name: str) -> bytes | None:
        """The bytes of a resource, which may stand behind where it is used."""
        start = self.text.rfind("{-#")
        match = re.search(_BLOB.format(re.escape(name)), self.text[start:]) if start >= 0 else None
        return None if match is None or len(match[1]) % 2 else bytes.fromhex(match[1])[_ALIGNMENT_BYTES:]


_ALIGNMENT_BYTES = 4
"""Before its bytes, a resource says how they are aligned."""
_BLOB = r'(?<![\w$.]){}\s*:\s*"0x([0-9A-Fa-f]*)"'


def integer_value(text: str) -> int:
    """The number of an integer token, decimal (zeros may lead) or hexadecimal."""
    return int(text, 16) if text.startswith("0x") else int(text)


_ESCAPE = regex(r"\\([0-9A-Fa-f]{2}|.)", re.DOTALL)
_NAMED_ESCAPES = {"n": "\n", "t": "\t"}


def unescape(text: str) -> str:
    """The text of a string literal's body; escapes are bytes of UTF-8."""

    def replace(match: re.Match[str]) -> str:
        body = match[1]
        return chr(int(body, 16)) if len(body) == 2 else _NAMED_ESCAPES.get(body, body)

    if "\\" not in text:
        return text
    # One character a byte, so that an escape can stand for a part of a character.
    return _ESCAPE.sub(replace, text.encode().decode("latin-1")).encode("latin-1").decode("utf-8", "replace")
