"""MLIR for pygments: what colours programs on the page of `lanewise inspect`, and in documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

_WORDS = (
    "affine_map", "affine_set", "array", "attributes", "dense", "dense_resource", "ceildiv", "distinct", "else",
    "false", "floordiv", "from", "init", "into", "iter_args", "kernel", "loc", "mod", "private", "public", "sparse",
    "step", "strided", "to", "true", "unit",
)  # fmt: skip
"""Words of the syntax that no dialect has to itself."""
_TYPES = r"(?:index|none|[su]?i\d+|bf16|tf32|f\d+(?:E\d+M\d+\w*)?|(?:memref|vector|tensor|tuple|complex)(?=<))(?!\w)"


class MlirLexer(RegexLexer):
    """Operations, values, types and attributes of any dialect."""

    name = "MLIR"
    aliases: ClassVar[Sequence[str]] = ["mlir"]
    filenames: ClassVar[Sequence[str]] = ["*.mlir"]
    mimetypes: ClassVar[Sequence[str]] = []
    url = "https://mlir.llvm.org/docs/LangRef/"

    tokens: ClassVar[dict[str, list[tuple[object, object]]]] = {
        "root": [
            (r"\s+", Whitespace),
            (r"//[^\n]*", Comment.Single),
            (r'"(?:\\.|[^"\\\n])*"', String),
            (r"%[\w$.-]+(?:#\d+)?", Name.Variable),
            (r"\^[\w$.-]+", Name.Label),
            (r'@(?:[\w$.-]+|"(?:\\.|[^"\\\n])*")', Name.Function),
            (r"#[A-Za-z_][\w$.]*", Name.Decorator),
            (r"![A-Za-z_][\w$.]*", Keyword.Type),
            (r"0x[0-9A-Fa-f]+(?!\w)", Number.Hex),
            (r"-?\d+\.\d*(?:[eE][+-]?\d+)?", Number.Float),
            (r"(?:\d+|\?)x(?=[\d?A-Za-z!])", Number.Integer),
            (r"-?\d+", Number.Integer),
            (_TYPES, Keyword.Type),
            (words(_WORDS, suffix=r"(?![\w.])"), Keyword),
            (r"[A-Za-z_]\w*(?:\.\w+)+", Name.Builtin),
            (r"[A-Za-z_][\w$]*", Name),
            (r"->|==|::|[=*+?-]", Operator),
            (r"[\[\](){}<>,:|;/]", Punctuation),
            (r".", Name),
        ],
    }
