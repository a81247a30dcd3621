"""Kinds of words in MLIR texts, as pygments is told of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from lanewise.show.mlir_lexer import MlirLexer
from pygments.token import Comment, Error, Keyword, Name, Number, String, Token

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.mlir"))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "%0:2 = vector.contract %a, %b#1 : vector<128x?xf16> into !nvgpu.token // sum",
            {"%0": Name.Variable, "vector.contract": Name.Builtin, "%b#1": Name.Variable, "vector": Keyword.Type,
             "128x": Number.Integer, "?x": Number.Integer, "f16": Keyword.Type, "into": Keyword,
             "!nvgpu.token": Keyword.Type, "// sum": Comment.Single},
        ),
        (
            'func.func @f(%x: index {a = "b // c"}) attributes {#layout1, n = -1.5e+3 : bf16, m = 0xFF80 : si8}',
            {"@f": Name.Function, "index": Keyword.Type, '"b // c"': String, "attributes": Keyword,
             "#layout1": Name.Decorator, "-1.5e+3": Number.Float, "bf16": Keyword.Type, "0xFF80": Number.Hex,
             "si8": Keyword.Type},
        ),
        ("cf.br ^bb1(%step : f8E4M3FN)", {"^bb1": Name.Label, "%step": Name.Variable, "f8E4M3FN": Keyword.Type}),
        ("to_layout index_cast i32x", {"to_layout": Name, "index_cast": Name, "i32x": Name}),
    ],
)  # fmt: skip
def test_words_have_their_kinds(line: str, words: dict[str, object]) -> None:
    found = {text: kind for _, kind, text in MlirLexer().get_tokens_unprocessed(line)}
    assert {word: found.get(word, Token) for word in words} == words


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_nothing_is_lost_and_nothing_unknown(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tokens = list(MlirLexer().get_tokens_unprocessed(text))
    assert "".join(word for _, _, word in tokens) == text
    assert not [word for _, kind, word in tokens if kind is Error]
