"""Tokens of MLIR text, read one at a time so that the parser can rescan where the grammar needs it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from ..support.diagnostics import Diagnostic, Location, ParseError, Source
from ..support.named_tuples import NamedTuple

_SPACE = r"\s*(?://[^\n]*\s*)*"
_GRAMMAR = r"""(?:
        (?P<value>%(?:\d+|[A-Za-z_$.\-][\w$.\-]*)(?:\#\d{1,9})?)
      | (?P<punctuation>->|::|[()\[\]{}<>,=:*+\-?/|&])
      | (?P<type>(?:vector|memref)<(?:[0-9?]+x)*[a-z]\w*>)
      | (?P<word>[A-Za-z_][\w$.]*)
      | (?P<symbol>@(?:[A-Za-z_][\w$.]*|"(?:[^"\\\n]|\\.)*"))
      | (?P<hash>\#(?:\d+|[A-Za-z_$.\-][\w$.\-]*))
      | (?P<bang>!(?:\d+|[A-Za-z_$.\-][\w$.\-]*))
      | (?P<label>\^(?:\d+|[A-Za-z_$.\-][\w$.\-]*))
      | (?P<string>"(?:[^"\\\n]|\\.)*")
      | (?P<float>\d+\.\d*(?:[eE][+-]?\d+)?f?)
      | (?P<integer>0x[0-9A-Fa-f]+|\d+)
      | (?P<end>\Z)
      | (?P<wrong>.)
    )"""
_TOKEN = re.compile(_SPACE + _GRAMMAR, re.VERBOSE | re.ASCII)
_PART_OF_TYPE = re.compile(_SPACE + _GRAMMAR.replace("(?P<type>", "(?P<type>(?!)"), re.VERBOSE | re.ASCII)
"""The words that a type of kind "type" is made of."""
_DIMENSION = re.compile(r"(\?|\d+)\s*x", re.ASCII)
_BRACKETS = {"<": ">", "(": ")", "[": "]", "{": "}"}
_CLOSING = frozenset(_BRACKETS.values())

_BYTE_ORDER_MARK = "\ufeff"

MAX_CHARACTERS = 16 << 20
MAX_DIGITS = 64


class Token(NamedTuple):
    """A word of the text; `kind` is a group of the grammar above. The last one, of kind "end", is "end of text".

    Types that programs repeat on every line, of kind "type", are one token.
    """

    kind: str
    text: str
    start: int
    end: int


class Lexer:
    """A cursor over one source: `token` is the next one, `advance` consumes it."""

    token: Token
    _following: Callable[[], Token]
    """Reads the token behind `token`."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        _check_text(source)
        self.rewind(len(_BYTE_ORDER_MARK) if self.text.startswith(_BYTE_ORDER_MARK) else 0)

    def advance(self) -> Token:
        token = self.token
        self.token = self._following()
        return token

    def rewind(self, offset: int) -> None:
        """Continues at `offset`: where some token began, or where what was read otherwise ends."""
        self._following = self._tokens(_TOKEN, offset).__next__
        self.token = self._following()

    def split_type(self) -> None:
        """Goes on in the parts of a token of kind "type", until something rewinds."""
        self._following = self._tokens(_PART_OF_TYPE, self.token.start).__next__
        self.token = self._following()

    def dimension(self) -> str | None:
        """Consumes `4x` or `?x` of a shape, which the tokens' grammar would split elsewhere."""
        match = _DIMENSION.match(self.text, self.token.start)
        if match is None:
            return None
        self._limit_digits(match.group(1), match.start())
        self.rewind(match.end())
        return match.group(1)

    def balanced(self) -> str:
        """Consumes from an opening bracket to its partner and returns the text between."""
        start = self.token.start
        stack: list[str] = []
        while True:
            token = self.advance()
            if token.text in _BRACKETS:
                stack.append(_BRACKETS[token.text])
            elif stack and token.text == stack[-1]:
                stack.pop()
                if not stack:
                    return self.text[start + 1 : token.start]
            elif token.text in _CLOSING:
                raise self.error(f"expected '{stack[-1]}', found '{token.text}'", token.start)
            elif token.kind == "end":
                raise self.error("bracket is never closed", start)

    def location(self) -> Location:
        return Location(self.source, self.token.start)

    def error(
        self, message: str, offset: int | None = None, hint: str = "", notes: Sequence[tuple[str, Location | None]] = ()
    ) -> ParseError:
        """The error to raise, at `offset` or else at the next token."""
        place = self.token.start if offset is None else offset
        return ParseError([Diagnostic(message, Location(self.source, place), tuple(notes), hint)])

    def _tokens(self, grammar: re.Pattern[str], offset: int) -> Iterator[Token]:
        """From `offset` on; the last one again and again."""
        for match in grammar.finditer(self.text, offset):
            kind, number, end = match.lastgroup, match.lastindex, match.end()
            assert kind is not None and number is not None
            text = match[number]
            start = end - len(text)
            if kind in _SPECIAL_KINDS:
                if kind == "end":
                    break
                if kind == "wrong":
                    what = "string is not closed on its line" if text == '"' else "unexpected character"
                    raise self.error(f"{what}: {text!r}", start)
                self._limit_digits(text, start)
            yield _new_token(Token, (kind, text, start, end))  # a third of the time of Token(...)
        while True:
            yield Token("end", "end of text", len(self.text), len(self.text))

    def _limit_digits(self, text: str, start: int) -> None:
        if len(text) > MAX_DIGITS:
            raise self.error(f"literal of {len(text)} characters, limit {MAX_DIGITS}", start)


_new_token: Callable[[type[Token], tuple[str, str, int, int]], Token] = tuple.__new__  # pyright: ignore
_SPECIAL_KINDS = frozenset({"end", "wrong", "integer", "float"})


def _check_text(source: Source) -> None:
    """The text's size, and that it is text at all: a lone surrogate has no bytes."""
    if len(source.text) > MAX_CHARACTERS:
        message = f"{source.name}: text of {len(source.text)} characters, limit {MAX_CHARACTERS}"
        raise ParseError([Diagnostic(message)])
    if source.text.isascii():
        return
    try:
        source.text.encode()
    except UnicodeEncodeError as error:
        message = f"unexpected character: {source.text[error.start]!r}"
        raise ParseError([Diagnostic(message, Location(source, error.start))]) from None
