"""Affine expressions and maps: values with evaluation and printing. The parser reads their text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from ..support.dataclasses import dataclass
from .types import Attribute

Spelling = Callable[[int], str]
"""How a dim or a symbol is written, by number."""


class AffineExpr:
    __slots__ = ()

    def spelled(self, dim: Spelling, symbol: Spelling) -> str:
        """The text, with these names for dims and symbols."""
        raise AssertionError

    @property
    def is_total(self) -> bool:
        """Whether it has a value whatever dims and symbols are: it divides by constants alone, which are positive."""
        return True

    @property
    def number(self) -> int | None:
        """What a constant is."""
        return None

    @property
    def depends_on_dims(self) -> bool:
        """Whether anything but constants and symbols is in it."""
        return False

    def __str__(self) -> str:
        return self.spelled(lambda i: f"d{i}", lambda i: f"s{i}")

    def __add__(self, other: AffineExpr) -> AffineExpr:
        return _binary("+", self, other)

    def __mul__(self, other: AffineExpr) -> AffineExpr:
        return _binary("*", self, other)


@dataclass(frozen=True, slots=True)
class Dim(AffineExpr):
    index: int

    @property
    def depends_on_dims(self) -> bool:
        return True

    def spelled(self, dim: Spelling, symbol: Spelling) -> str:
        return dim(self.index)


@dataclass(frozen=True, slots=True)
class Symbol(AffineExpr):
    index: int

    def spelled(self, dim: Spelling, symbol: Spelling) -> str:
        return symbol(self.index)


@dataclass(frozen=True, slots=True)
class Constant(AffineExpr):
    value: int

    @property
    def number(self) -> int:
        return self.value

    def spelled(self, dim: Spelling, symbol: Spelling) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True)
class Binary(AffineExpr):
    """`operator` is one of + * floordiv ceildiv mod."""

    operator: str
    lhs: AffineExpr
    rhs: AffineExpr

    @property
    def is_total(self) -> bool:
        has_quotient = self.operator in ("+", "*") or self.rhs.number is not None
        return has_quotient and self.lhs.is_total and self.rhs.is_total

    @property
    def depends_on_dims(self) -> bool:
        return self.lhs.depends_on_dims or self.rhs.depends_on_dims

    def spelled(self, dim: Spelling, symbol: Spelling) -> str:
        def wrap(expr: AffineExpr) -> str:
            text = expr.spelled(dim, symbol)
            return f"({text})" if isinstance(expr, Binary) else text

        if self.operator != "+":
            return f"{wrap(self.lhs)} {self.operator} {wrap(self.rhs)}"
        first, rhs = self.lhs.spelled(dim, symbol), self.rhs
        if rhs.number is not None and rhs.number < 0:
            return f"{first} - {-rhs.number}"
        if isinstance(rhs, Binary) and rhs.operator == "*" and rhs.rhs == Constant(-1):
            return f"{first} - {wrap(rhs.lhs)}"
        last = wrap(rhs) if isinstance(rhs, Binary) and rhs.operator == "+" else rhs.spelled(dim, symbol)
        return f"{first} + {last}"


# numpy's and Python's // and % round towards minus infinity, as affine floordiv and mod do.
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "*": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "ceildiv": lambda a, b: -(-a // b),
    "mod": lambda a, b: a % b,
}


_NEUTRAL = {"+": Constant(0), "*": Constant(1)}


def _binary(operator: str, lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    if lhs.number is not None and rhs.number is not None:
        return Constant(_OPERATORS[operator](lhs.number, rhs.number))
    return _joined(operator, lhs, rhs) if operator in _NEUTRAL else Binary(operator, lhs, rhs)


def _joined(operator: str, lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    """A sum or product, not of two constants."""
    if lhs.number is not None or (rhs.depends_on_dims and not lhs.depends_on_dims):
        lhs, rhs = rhs, lhs
    if rhs == _NEUTRAL[operator]:
        return lhs
    first, last = _parted(operator, lhs), _parted(operator, rhs)
    if first is not None and rhs.number is not None:
        total = _OPERATORS[operator](first[1].value, rhs.number)
        return _binary(operator, first[0], Constant(total)) if abs(total) < 1 << 63 else Binary(operator, lhs, rhs)
    if first is not None:
        return _binary(operator, _binary(operator, first[0], rhs), first[1])
    if last is not None:
        return _binary(operator, _binary(operator, lhs, last[0]), last[1])
    return Binary(operator, lhs, rhs)


def _parted(operator: str, expr: AffineExpr) -> tuple[AffineExpr, Constant] | None:
    """What stands before the constant in which a sum or product ends."""
    if isinstance(expr, Binary) and expr.operator == operator and isinstance(expr.rhs, Constant):
        return expr.lhs, expr.rhs
    return None


def binary(operator: str, lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    """`lhs operator rhs`, as upstream has it: constants are folded and stand last in a sum or product, before
    them what is made of symbols alone."""
    if operator == "-":
        return _binary("+", lhs, _binary("*", rhs, Constant(-1)))
    return _binary(operator, lhs, rhs)


@dataclass(frozen=True, slots=True)
class LinearForm:
    """A sum of dims times factors, and an offset; None is what only symbols say."""

    factors: Mapping[int, int | None]
    offset: int | None


def _times(a: int | None, b: int | None) -> int | None:
    if a == 0 or b == 0:
        return 0
    return None if a is None or b is None else a * b


def _plus(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


def linear(expr: AffineExpr) -> LinearForm | None:
    """The expression as a linear form; None where dims are divided or taken modulo."""
    match expr:
        case Dim(index):
            return LinearForm({index: 1}, 0)
        case Constant(value):
            return LinearForm({}, value)
        case Binary("+", lhs, rhs):
            a, b = linear(lhs), linear(rhs)
            if a is None or b is None:
                return None
            dims = {*a.factors, *b.factors}
            factors = {dim: _plus(a.factors.get(dim, 0), b.factors.get(dim, 0)) for dim in dims}
            return LinearForm(factors, _plus(a.offset, b.offset))
        case Binary("*", lhs, rhs) if not rhs.depends_on_dims:
            a, b = linear(lhs), linear(rhs)
            if a is None or b is None:
                return None
            factors = {dim: _times(factor, b.offset) for dim, factor in a.factors.items()}
            return LinearForm(factors, _times(a.offset, b.offset))
        case _:
            return None if expr.depends_on_dims else LinearForm({}, None)


def evaluate(expr: AffineExpr, dims: Sequence[Any], symbols: Sequence[Any] = ()) -> Any:
    """The expression's value on Python integers or numpy arrays."""
    match expr:
        case Dim(index):
            return dims[index]
        case Symbol(index):
            return symbols[index]
        case Constant(value):
            return value
        case Binary(operator, lhs, rhs):
            return _OPERATORS[operator](evaluate(lhs, dims, symbols), evaluate(rhs, dims, symbols))
        case _:
            raise AssertionError(expr)


@dataclass(frozen=True, slots=True)
class AffineMap:
    """`(d0, ..)[s0, ..] -> (expr, ..)`."""

    dims: int
    symbols: int
    results: tuple[AffineExpr, ...]

    @classmethod
    def identity(cls, rank: int) -> AffineMap:
        return cls(rank, 0, tuple(Dim(i) for i in range(rank)))

    @classmethod
    def minor_identity(cls, dims: int, results: int) -> AffineMap:
        """`(d0, .., dn) -> (the last `results` dims)`, the default permutation map of transfers."""
        return cls(dims, 0, tuple(Dim(dims - results + i) for i in range(results)))

    def evaluate(self, dims: Sequence[Any], symbols: Sequence[Any] = ()) -> tuple[Any, ...]:
        return tuple(evaluate(e, dims, symbols) for e in self.results)

    def result_dims(self) -> tuple[int | None, ...] | None:
        """The dim each result names (None for the constant 0); None when a result is anything else."""
        dims: list[int | None] = []
        for e in self.results:
            if isinstance(e, Dim):
                dims.append(e.index)
            elif e == Constant(0):
                dims.append(None)
            else:
                return None
        return tuple(dims)

    def __str__(self) -> str:
        return f"{_declaration(self.dims, self.symbols)} -> ({', '.join(map(str, self.results))})"


def _declaration(dims: int, symbols: int) -> str:
    """`(d0, ..)[s0, ..]`."""
    named = "[" + ", ".join(f"s{i}" for i in range(symbols)) + "]" if symbols else ""
    return f"({', '.join(f'd{i}' for i in range(dims))}){named}"


@dataclass(frozen=True, slots=True)
class IntegerSet:
    """`(d0, ..)[s0, ..] : (expr >= 0, expr == 0, ..)`: the points at which all constraints hold.

    `equalities` says of each constraint whether its expression is zero, else it is not negative.
    """

    dims: int
    symbols: int
    constraints: tuple[AffineExpr, ...]
    equalities: tuple[bool, ...]

    def __str__(self) -> str:
        pairs = zip(self.constraints, self.equalities, strict=True)
        words = ", ".join(f"{expr} {'==' if equal else '>='} 0" for expr, equal in pairs)
        return f"{_declaration(self.dims, self.symbols)} : ({words})"


@dataclass(frozen=True, slots=True)
class IntegerSetAttr(Attribute):
    alias: ClassVar[str] = "set"
    set: IntegerSet

    def __str__(self) -> str:
        return f"affine_set<{self.set}>"


@dataclass(frozen=True, slots=True)
class AffineMapAttr(Attribute):
    alias: ClassVar[str] = "map"
    map: AffineMap

    def __str__(self) -> str:
        return f"affine_map<{self.map}>"
