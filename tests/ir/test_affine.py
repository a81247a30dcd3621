"""Affine expressions and maps: text, evaluation and folding, against Python's integers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from lanewise.ir.affine import AffineExpr, AffineMap, AffineMapAttr, Binary, Constant, Dim, Symbol, binary, evaluate
from lanewise.ir.operation_parser import Parser
from lanewise.support.diagnostics import Source

MEANING: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "ceildiv": lambda a, b: -((-a) // b),
    "mod": lambda a, b: a - b * (a // b),
}
NAMES = ("i", "j", "k")


def parse(text: str) -> AffineMap:
    attribute = Parser(Source(f"affine_map<{text}>")).parse_attribute()
    assert isinstance(attribute, AffineMapAttr)
    return attribute.map


@st.composite
def expressions(draw: st.DrawFn, depth: int = 4) -> tuple[str, Callable[..., int]]:
    """Text in parentheses, and the Python function that it says."""
    kind = draw(st.sampled_from(["name", "constant", "sum", "scaled", "divided"] if depth else ["name", "constant"]))
    if kind == "name":
        name = draw(st.sampled_from([*NAMES, "s"]))
        return name, lambda **values: values[name]
    if kind == "constant":
        number = draw(st.integers(-9, 9))
        return str(number), lambda **values: number
    left, f = draw(expressions(depth=depth - 1))
    if kind == "sum":
        right, g = draw(expressions(depth=depth - 1))
        operator = draw(st.sampled_from(["+", "-"]))
        return f"({left} {operator} {right})", lambda **v: MEANING[operator](f(**v), g(**v))
    operator = "*" if kind == "scaled" else draw(st.sampled_from(["floordiv", "ceildiv", "mod"]))
    factor = draw(st.integers(-9, 9) if kind == "scaled" else st.integers(1, 9))
    return f"({left} {operator} {factor})", lambda **v: MEANING[operator](f(**v), factor)


@given(expressions(), st.lists(st.integers(-1000, 1000), min_size=4, max_size=4))
def test_text_means_what_python_says(expression: tuple[str, Callable[..., int]], numbers: list[int]) -> None:
    text, meaning = expression
    i, j, k, s = numbers
    map = parse(f"(i, j, k)[s] -> ({text})")
    expected = meaning(i=i, j=j, k=k, s=s)
    assert map.evaluate((i, j, k), (s,)) == (expected,)
    arrays = map.evaluate([np.full(3, n) for n in (i, j, k)], [np.full(3, s)])
    assert np.broadcast_to(arrays[0], 3).tolist() == [expected] * 3


@given(expressions())
def test_maps_read_back(expression: tuple[str, Callable[..., int]]) -> None:
    map = parse(f"(i, j, k)[s] -> ({expression[0]}, i)")
    again = parse(str(map))
    assert again == map
    assert hash(again) == hash(map)
    assert str(again) == str(map)


atoms = st.one_of(
    st.integers(0, 2).map(Dim), st.integers(0, 1).map(Symbol), st.integers(-(1 << 62), (1 << 62)).map(Constant)
)


@given(st.lists(st.tuples(atoms, st.booleans(), st.sampled_from(["+", "-", "*", "mod"]))), atoms)
def test_built_expressions_read_back(steps: list[tuple[AffineExpr, bool, str]], expr: AffineExpr) -> None:
    """Whatever the order in which an expression was put together."""
    for other, swap, operator in steps[:8]:
        if operator in ("*", "mod"):
            other = Constant(7)
            swap = swap and operator == "*"
        expr = binary(operator, other, expr) if swap else binary(operator, expr, other)
        assume(not isinstance(expr, Constant) or abs(expr.value) < 1 << 63)
    map = AffineMap(3, 2, (expr,))
    assert parse(str(map)) == map


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("() -> ()", "() -> ()"),
        ("(i) -> ()", "(d0) -> ()"),
        ("()[n] -> (n)", "()[s0] -> (s0)"),
        ("(i, j) -> (j, i)", "(d0, d1) -> (d1, d0)"),
        ("(i) -> (i + 2 - 5)", "(d0) -> (d0 - 3)"),
        ("(i) -> (2 + 3 * 4)", "(d0) -> (14)"),
        ("(i, j) -> (i - j)", "(d0, d1) -> (d0 - d1)"),
        ("(i, j) -> (i - (j + 1))", "(d0, d1) -> (d0 - (d1 + 1))"),
        ("(i, j) -> (i + (j + 1))", "(d0, d1) -> (d0 + d1 + 1)"),
        ("(i) -> (1 * i + 0)", "(d0) -> (d0)"),
        ("(i)[s] -> (s + 1 - i)", "(d0)[s0] -> (d0 * -1 + s0 + 1)"),
        ("(i)[s] -> (2 * i * s)", "(d0)[s0] -> ((d0 * s0) * 2)"),
        ("(i) -> (-i)", "(d0) -> (d0 * -1)"),
        ("(i) -> (--3 + i)", "(d0) -> (d0 + 3)"),
        ("(i) -> (i floordiv 2 mod 3)", "(d0) -> ((d0 floordiv 2) mod 3)"),
        ("(i)[s] -> (i ceildiv s * 2)", "(d0)[s0] -> ((d0 ceildiv s0) * 2)"),
        ("(i) -> (2 * (i + 1) mod 5)", "(d0) -> (((d0 + 1) * 2) mod 5)"),
    ],
)
def test_printed_form(text: str, printed: str) -> None:
    assert str(parse(text)) == printed
    assert str(parse(printed)) == printed


@pytest.mark.parametrize("a", [-7, -6, -1, 0, 1, 6, 7])
@pytest.mark.parametrize("operator", ["floordiv", "ceildiv", "mod"])
def test_rounding(operator: str, a: int) -> None:
    expected = {"floordiv": np.floor(a / 3), "ceildiv": np.ceil(a / 3), "mod": a - 3 * np.floor(a / 3)}[operator]
    assert evaluate(Binary(operator, Dim(0), Constant(3)), [a]) == expected
    assert binary(operator, Constant(a), Constant(3)) == Constant(int(expected))


def test_identities_and_results() -> None:
    assert parse("(a, b, c) -> (a, b, c)") == AffineMap.identity(3)
    assert parse("(a, b, c) -> (b, c)") == AffineMap.minor_identity(3, 2)
    assert parse("(a, b) -> (b, 0, a)").result_dims() == (1, None, 0)
    assert parse("(a, b) -> (b, 1)").result_dims() is None
    assert parse("(a, b) -> (a + b)").result_dims() is None
    assert Dim(0) + Constant(1) * Constant(2) == Binary("+", Dim(0), Constant(2))
