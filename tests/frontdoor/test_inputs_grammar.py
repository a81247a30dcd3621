"""The grammar of `lanewise.args`: what it means, and that every error stands where it belongs."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanewise.check.inputs_grammar import (
    MAX_DEPTH,
    MAX_TOKENS,
    InputsError,
    evaluate,
    inputs_of,
    read_comments,
    read_inputs,
)
from lanewise.support.diagnostics import Source


def value(expression: str, **names: float) -> float:
    text = read_inputs(f"{expression}; grid = 1")
    return evaluate(text.arguments[0].value, names)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("7 // 2", 3),
        ("-7 // 2", -4),
        ("7 % 4", 3),
        ("10 - 3 - 2", 5),
        ("2 * -3", -6),
        ("ceildiv(300, 4)", 75),
        ("ceildiv(301, 4)", 76),
        ("min(5, 3, 4) + max(1, 2)", 5),
        ("1e-5", 1e-5),
        (".5", 0.5),
        ("2.", 2.0),
        ("-1.5e2", -150.0),
    ],
)
def test_arithmetic(text: str, expected: float) -> None:
    assert value(text) == expected


@given(
    st.recursive(
        st.integers(0, 99).map(str),
        lambda t: st.tuples(t, st.sampled_from(["+", "-", "*"]), t).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
        max_leaves=8,
    )
)
def test_arithmetic_is_that_of_integers(text: str) -> None:
    assert value(text) == eval(text)  # the text is of this test's own making


@given(st.integers(0, 10**6), st.integers(1, 10**4))
def test_ceildiv_is_the_number_of_tiles_that_cover(n: int, tile: int) -> None:
    assert value("ceildiv(N, T)", N=n, T=tile) == math.ceil(n / tile)


def test_every_part() -> None:
    text = read_inputs("@softmax M=300, N = M + 1: x = normal(M, N, scale=2), y = empty(), M, 1.5; grid = (M, 2)")
    assert text.kernel == "softmax"
    assert [item.name for item in text.sizes] == ["M", "N"]
    assert [item.name for item in text.arguments] == ["x", "y", None, None]
    assert len(text.grid) == 2


def test_a_comment_goes_on_over_indented_comment_lines() -> None:
    program = "// first line\n// lanewise.args M=2:\n//   x = zeros(M),\n//   M;\n//   grid = M\n// prose\nmodule {}\n"
    (text,) = read_comments(Source(program))
    assert [item.name for item in text.arguments] == ["x", None]
    assert evaluate(text.grid[0], {"M": 2}) == 2
    with pytest.raises(InputsError, match=r"<string>:4:7"):  # offsets are those of the whole program
        read_comments(Source(program.replace("zeros(M)", "zeros(M")))


@pytest.mark.parametrize("end", ["x = 1,", "x = 1;", "x = normal(4,"])
def test_a_line_that_was_to_belong_to_the_comment_is_noticed(end: str) -> None:
    with pytest.raises(InputsError, match="hint: the comment goes on over lines that begin with two spaces"):
        read_comments(Source(f"// lanewise.args {end}\n// grid = 2\n"))


def test_a_kernel_finds_its_own_comment() -> None:
    comments = read_comments(Source("// lanewise.args @a 1\n// lanewise.args 2\n"))
    assert inputs_of(comments, "a") is comments[0]
    assert inputs_of(comments, "b") is comments[1]
    assert inputs_of(comments[:1], "b") is None


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("x = normal(4", 13, "expected ',' or '\\)', found 'the end of the text'"),
        ("1 +", 4, "expected a number or a name"),
        ("1 $ 2", 3, "unexpected character '\\$'"),
        ("1 2", 3, "expected ',' or ';', found '2'"),
        ("3: x", 1, "sizes, as in"),
        ("1; rows = 3", 4, "expected 'grid = ...', found 'rows'"),
        ("1; grid = (1, 2, 3, 4)", 22, "at most three"),
        ("normal(scale=1, 4)", 17, "extents stand before named options"),
        ("99999999999999999999", 1, "64 bits"),
        ("1" * 30, 1, "64 bits"),
        ("(" * (MAX_DEPTH + 1), MAX_DEPTH + 1, "nested more than"),
        ("1+" * MAX_TOKENS, MAX_TOKENS + 1, "more than"),
    ],
)
def test_what_cannot_be_read_says_where(text: str, column: int, message: str) -> None:
    with pytest.raises(InputsError, match=message) as caught:
        read_inputs(text)
    location = caught.value.diagnostics[0].location
    assert location is not None
    assert location.source.position(location.offset) == (1, column)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Q + 1", "unknown size 'Q'; known: M"),
        ("1 // 0", "division by zero"),
        ("1 % (M - M)", "division by zero"),
        ("9223372036854775807 + 1", "64 bits"),
        ("normal(4) + 1", "is no arithmetic"),
        ("ceildiv(1)", "takes two"),
        ("ceildiv(1, 2, 3)", "takes two"),
        ("min(1)", "two or more"),
        ("__import__(1, 2)", "is no arithmetic"),
    ],
)
def test_what_cannot_be_evaluated_says_why(text: str, message: str) -> None:
    with pytest.raises(InputsError, match=message):
        value(text, M=3)


@given(st.text(st.sampled_from("xMN019 +-*/%(),;:=@.e\n$é"), max_size=40))
def test_no_text_ends_in_anything_but_inputs_or_their_error(text: str) -> None:
    try:
        read_inputs(text)
    except InputsError as error:
        assert "^" in str(error)
