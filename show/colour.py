"""Lines of code with their kinds of words, found when the page is made: nothing is coloured while it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pygments.lexers
from pygments.token import Comment, Keyword, Name, Number, String, Token

from ..support.named_tuples import NamedTuple
from .links import Language
from .mlir_lexer import MlirLexer


class Piece(NamedTuple):
    """A part of a line, `first` to before `last`, and the tag of its kind."""

    first: int
    last: int
    tag: str


_TAGS: Mapping[Any, str] = {
    Comment: "i",
    Keyword: "b",
    Keyword.Type: "u",
    Name.Attribute: "b",
    Name.Builtin: "b",
    Name.Decorator: "em",
    Name.Function: "dfn",
    Name.Label: "dfn",
    Name.Variable: "var",
    Name.Variable.Global: "dfn",
    Number: "s",
    String: "q",
    Token: "",
}
"""The element of each kind of word: short ones, which the style sheet colours."""


_NAMES: Mapping[str, str] = {"amdgcn": "amdgpu"}
"""Languages that pygments calls otherwise."""


def _tag(kind: Any) -> str:
    while kind not in _TAGS:
        kind = kind.parent
    return _TAGS[kind]


class Painter:
    """Finds the pieces of lines; a line that was seen is not read again."""

    def __init__(self, language: Language) -> None:
        lexers: Any = pygments.lexers
        self._lexer = MlirLexer() if language == "mlir" else lexers.get_lexer_by_name(_NAMES.get(language, language))
        self._whole = language == "python"
        self._known: dict[str, tuple[Piece, ...]] = {}
        self._tags: dict[Any, str] = {}

    def pieces(self, lines: Sequence[str]) -> list[tuple[Piece, ...]]:
        """The pieces of each line. In Python words mean something by what stands in lines before."""
        if self._whole:
            return self._read(lines)
        new = [line for line in dict.fromkeys(lines) if line not in self._known]
        self._known.update(zip(new, self._read(new), strict=True))
        return [self._known[line] for line in lines]

    def _read(self, lines: Sequence[str]) -> list[tuple[Piece, ...]]:
        found: list[list[Piece]] = [[] for _ in lines]
        row, column = 0, 0
        for _, kind, text in self._lexer.get_tokens_unprocessed("\n".join(lines)):
            tag = self._tags.get(kind)
            if tag is None:
                tag = self._tags[kind] = _tag(kind)
            for i, part in enumerate(text.split("\n")):
                if i:
                    row, column = row + 1, 0
                if part and tag and not part.isspace():
                    found[row].append(Piece(column, column + len(part), tag))
                column += len(part)
        return [tuple(pieces) for pieces in found]
