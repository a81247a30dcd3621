"""Reads affine maps: `(d0, d1)[s0] -> (d0 + s0, d1 floordiv 2)`."""

from __future__ import annotations

from collections.abc import Callable

from .affine import AffineExpr, AffineMap, Constant, Dim, Symbol, binary, depends_on_dims
from .diagnostics import Source
from .lexer import Token
from .reader import Nesting, TokenReader

Names = dict[str, AffineExpr]


MAX_OPERATORS = 64
"""Of one affine expression: what walks an expression recurses over them."""


class AffineParser(TokenReader):
    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._operators = 0
        self._parentheses = Nesting(self, MAX_OPERATORS)

    def affine_map(self) -> AffineMap:
        """`(d0, ..)[s0, ..] -> (expr, ..)`."""
        names: Names = {}
        self.expect("(")
        dims = self._declare(names, Dim, ")")
        symbols = self._declare(names, Symbol, "]") if self.accept("[") else 0
        self.expect("->")
        self.expect("(")
        results = self.comma_separated(")", lambda: self._result(names))
        return AffineMap(dims, symbols, tuple(results))

    def _declare(self, names: Names, make: Callable[[int], AffineExpr], close: str) -> int:
        before = len(names)

        def one() -> None:
            token = self.expect_kind("word", "a dimension name")
            if token.text in names:
                raise self.error(f"'{token.text}' is declared twice", token.start)
            names[token.text] = make(len(names) - before)

        self.comma_separated(close, one)
        return len(names) - before

    def _result(self, names: Names) -> AffineExpr:
        self._operators = 0
        return self._sum(names)

    def _sum(self, names: Names) -> AffineExpr:
        expr = self._product(names)
        while self.token.text in ("+", "-"):
            token = self.advance()
            expr = self._apply(token, expr, self._product(names))
        return expr

    def _product(self, names: Names) -> AffineExpr:
        expr = self._atom(names)
        while self.token.text in ("*", "floordiv", "ceildiv", "mod"):
            token = self.advance()
            expr = self._apply(token, expr, self._atom(names))
        return expr

    def _apply(self, token: Token, lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
        operator = token.text
        self._operators += 1
        if self._operators > MAX_OPERATORS:
            raise self.error(f"affine expression of more than {MAX_OPERATORS} operators", token.start)
        if operator in ("floordiv", "ceildiv", "mod"):
            self._check_divisor(token, rhs)
        elif operator == "*" and depends_on_dims(lhs) and depends_on_dims(rhs):
            raise self.error("a product of dimensions is not affine", token.start)
        expr = binary(operator, lhs, rhs)
        if isinstance(expr, Constant) and abs(expr.value) >= 1 << 63:
            raise self.error(f"{expr.value} does not fit in 64 bits", token.start)
        return expr

    def _check_divisor(self, token: Token, divisor: AffineExpr) -> None:
        if isinstance(divisor, Constant) and divisor.value <= 0:
            raise self.error(f"{token.text} by {divisor.value}: the divisor must be positive", token.start)
        if depends_on_dims(divisor):
            raise self.error(f"{token.text} by {divisor}: the divisor must be a constant or a symbol", token.start)

    def _atom(self, names: Names) -> AffineExpr:
        token = self.token
        if self.accept("("):
            with self._parentheses:
                expr = self._sum(names)
            self.expect(")")
            return expr
        if self.accept("-"):
            if self.token.kind == "integer":
                return Constant(-self.integer())
            with self._parentheses:
                return self._apply(token._replace(text="*"), self._atom(names), Constant(-1))
        if token.kind == "integer":
            return Constant(self.integer())
        self.expect_kind("word", "an affine expression")
        if token.text not in names:
            raise self.error(f"'{token.text}' is not declared by this map", token.start)
        return names[token.text]
