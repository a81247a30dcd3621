"""Reads affine maps, `(d0, d1)[s0] -> (d0 + s0, d1 floordiv 2)`, sets, and expressions over a program's values."""

from __future__ import annotations

from collections.abc import Callable

from ..support.diagnostics import Source
from .affine import AffineExpr, AffineMap, Constant, Dim, IntegerSet, Symbol, binary
from .lexer import Token
from .reader import Nesting, TokenReader

Names = dict[str, AffineExpr]


MAX_OPERATORS = 64
"""The most operators of one affine expression: what walks an expression recurses over them."""


class ValueNames:
    """The values that expressions name, in order of appearance: `%i` is a dim, `symbol(%n)` a symbol."""

    def __init__(self) -> None:
        self.dims: list[Token] = []
        self.symbols: list[Token] = []

    def number(self, token: Token, among: list[Token]) -> int:
        """The number of a name among dims or symbols; a new one is the next."""
        found = next((i for i, known in enumerate(among) if known.text == token.text), len(among))
        if found == len(among):
            among.append(token)
        return found


class AffineParser(TokenReader):
    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._operators = 0
        self._parentheses = Nesting(self, MAX_OPERATORS)
        self._values: ValueNames | None = None

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

    def integer_set(self) -> IntegerSet:
        """`(d0, ..)[s0, ..] : (constraint, ..)`."""
        names: Names = {}
        self.expect("(")
        dims = self._declare(names, Dim, ")")
        symbols = self._declare(names, Symbol, "]") if self.accept("[") else 0
        self.expect(":")
        self.expect("(")
        constraints = self.comma_separated(")", lambda: self._constraint(names))
        expressions, equalities = tuple(e for e, _ in constraints), tuple(equal for _, equal in constraints)
        return IntegerSet(dims, symbols, expressions, equalities)

    def _constraint(self, names: Names) -> tuple[AffineExpr, bool]:
        """`expr >= expr`, `<=` or `==`, as an expression that is compared with zero."""
        left, token = self._result(names), self.token
        if token.text not in (">", "<", "="):
            self.fail("'>=', '<=' or '=='")
        self.advance()
        self.expect("=")
        right = self._sum(names)
        if token.text == "<":
            left, right = right, left
        return left if right == Constant(0) else binary("-", left, right), token.text == "="

    def expression_of_values(self, values: ValueNames) -> AffineExpr:
        """One expression in which values of the program stand: `%i + 2 * symbol(%n)`."""
        self._values = values
        expr = self._result({})
        self._values = None
        return expr

    def _value(self, values: ValueNames) -> AffineExpr | None:
        """`%i` or `symbol(%n)`."""
        if self.token.kind == "value":
            return Dim(values.number(self.advance(), values.dims))
        if not self.accept("symbol"):
            return None
        self.expect("(")
        token = self.expect_kind("value", "the value of a symbol")
        self.expect(")")
        return Symbol(values.number(token, values.symbols))

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
        elif operator == "*" and lhs.depends_on_dims and rhs.depends_on_dims:
            raise self.error("a product of dimensions is not affine", token.start)
        expr = binary(operator, lhs, rhs)
        if isinstance(expr, Constant) and abs(expr.value) >= 1 << 63:
            raise self.error(f"{expr.value} does not fit in 64 bits", token.start)
        return expr

    def _check_divisor(self, token: Token, divisor: AffineExpr) -> None:
        if isinstance(divisor, Constant) and divisor.value <= 0:
            raise self.error(f"{token.text} by {divisor.value}: the divisor must be positive", token.start)
        if divisor.depends_on_dims:
            raise self.error(f"{token.text} by {divisor}: the divisor must be a constant or a symbol", token.start)

    def _atom(self, names: Names) -> AffineExpr:
        token = self.token
        named = None if self._values is None else self._value(self._values)
        if named is not None:
            return named
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
