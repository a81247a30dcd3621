"""Tokens of MLIR text, read one at a time so that the parser can rescan where the grammar needs it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .diagnostics import Diagnostic, Location, ParseError, Source

_SPACE = re.compile(r"(?:\s+|//[^\n]*)*")
_TOKEN = re.compile(
    r"""(?P<value>%(?:\d+|[A-Za-z_$.\-][\w$.\-]*)(?:\#\d+)?)
      | (?P<symbol>@(?:[A-Za-z_][\w$.]*|"(?:[^"\\\n]|\\.)*"))
      | (?P<hash>\#[A-Za-z_][\w$]*(?:\.[A-Za-z_][\w$]*)*)
      | (?P<bang>![A-Za-z_][\w$]*(?:\.[A-Za-z_][\w$]*)*)
      | (?P<label>\^(?:\d+|[A-Za-z_][\w$.]*))
      | (?P<string>"(?:[^"\\\n]|\\.)*")
      | (?P<float>\d+\.\d*(?:[eE][+-]?\d+)?f?)
      | (?P<integer>0x[0-9A-Fa-f]+|\d+)
      | (?P<word>[A-Za-z_][\w$]*(?:\.[A-Za-z_][\w$]*)*)
      | (?P<punctuation>->|::|[()\[\]{}<>,=:*+\-?/|&])
    """,
    re.VERBOSE,
)
_DIMENSION = re.compile(r"(\?|\d+)\s*x")

MAX_CHARACTERS = 16 << 20
MAX_DIGITS = 64


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    text: str
    start: int
    end: int


class Lexer:
    """A cursor over one source: `token` is the next one, `advance` consumes it."""

    def __init__(self, source: Source) -> None:
        if len(source.text) > MAX_CHARACTERS:
            raise ParseError(
                [Diagnostic(f"{source.name}: text of {len(source.text)} characters, limit {MAX_CHARACTERS}")]
            )
        self.source = source
        self.text = source.text
        self.token = self._scan(0)

    def advance(self) -> Token:
        token = self.token
        self.token = self._scan(token.end)
        return token

    def rewind(self, offset: int) -> None:
        """Continues at `offset`, which is where some token began."""
        self.token = self._scan(offset)

    def dimension(self) -> str | None:
        """Consumes `4x` or `?x` of a shape, which the tokens' grammar would split elsewhere."""
        match = _DIMENSION.match(self.text, self.token.start)
        if match is None:
            return None
        self._limit_digits(match.group(1), match.start())
        self.token = self._scan(match.end())
        return match.group(1)

    def balanced(self) -> str:
        """Consumes from an opening bracket to its partner and returns the text between."""
        pairs = {"<": ">", "(": ")", "[": "]", "{": "}"}
        start = self.token.start
        stack: list[str] = []
        while True:
            token = self.advance()
            if token.text in pairs and token.kind == "punctuation":
                stack.append(pairs[token.text])
            elif stack and token.text == stack[-1]:
                stack.pop()
                if not stack:
                    return self.text[start + 1 : token.start]
            elif token.kind == "end":
                raise self.error("bracket is never closed", start)

    def error(self, message: str, offset: int | None = None, hint: str = "") -> ParseError:
        place = self.token.start if offset is None else offset
        return ParseError([Diagnostic(message, Location(self.source, place), hint=hint)])

    def _scan(self, offset: int) -> Token:
        start = _SPACE.match(self.text, offset).end()  # type: ignore[union-attr]
        if start >= len(self.text):
            return Token("end", "end of text", start, start)
        match = _TOKEN.match(self.text, start)
        if match is None:
            what = "string is not closed on its line" if self.text[start] == '"' else "unexpected character"
            raise ParseError([Diagnostic(f"{what}: {self.text[start]!r}", Location(self.source, start))])
        kind = match.lastgroup
        assert kind is not None
        if kind in ("integer", "float"):
            self._limit_digits(match.group(), start)
        return Token(kind, match.group(), start, match.end())

    def _limit_digits(self, text: str, start: int) -> None:
        if len(text) > MAX_DIGITS:
            message = f"literal of {len(text)} characters, limit {MAX_DIGITS}"
            raise ParseError([Diagnostic(message, Location(self.source, start))])
