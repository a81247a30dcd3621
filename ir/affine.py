"""Affine expressions and maps: values with evaluation and printing. The parser reads their text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from .types import Attribute


class AffineExpr:
    __slots__ = ()

    def __add__(self, other: AffineExpr) -> AffineExpr:
        return _binary("+", self, other)

    def __mul__(self, other: AffineExpr) -> AffineExpr:
        return _binary("*", self, other)


@dataclass(frozen=True, slots=True)
class Dim(AffineExpr):
    index: int

    def __str__(self) -> str:
        return f"d{self.index}"


@dataclass(frozen=True, slots=True)
class Symbol(AffineExpr):
    index: int

    def __str__(self) -> str:
        return f"s{self.index}"


@dataclass(frozen=True, slots=True)
class Constant(AffineExpr):
    value: int

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True)
class Binary(AffineExpr):
    """`operator` is one of + * floordiv ceildiv mod."""

    operator: str
    lhs: AffineExpr
    rhs: AffineExpr

    def __str__(self) -> str:
        if self.operator == "+":
            if isinstance(self.rhs, Constant) and self.rhs.value < 0:
                return f"{self.lhs} - {-self.rhs.value}"
            if isinstance(self.rhs, Binary) and self.rhs.operator == "*" and self.rhs.rhs == Constant(-1):
                return f"{self.lhs} - {_wrap(self.rhs.lhs)}"
            rhs = f"({self.rhs})" if isinstance(self.rhs, Binary) and self.rhs.operator == "+" else str(self.rhs)
            return f"{self.lhs} + {rhs}"
        return f"{_wrap(self.lhs)} {self.operator} {_wrap(self.rhs)}"


def _wrap(expr: AffineExpr) -> str:
    return f"({expr})" if isinstance(expr, Binary) else str(expr)


# numpy's and Python's // and % round towards minus infinity, as affine floordiv and mod do.
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "*": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "ceildiv": lambda a, b: -(-a // b),
    "mod": lambda a, b: a % b,
}


def _binary(operator: str, lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    if isinstance(lhs, Constant) and isinstance(rhs, Constant):
        return Constant(_OPERATORS[operator](lhs.value, rhs.value))
    return Binary(operator, lhs, rhs)


def binary(operator: str, lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    """`lhs operator rhs`, folded when both are constants."""
    if operator == "-":
        return _binary("+", lhs, _binary("*", rhs, Constant(-1)))
    return _binary(operator, lhs, rhs)


def depends_on_dims(expr: AffineExpr) -> bool:
    """Whether anything but constants and symbols is in it."""
    if isinstance(expr, Binary):
        return depends_on_dims(expr.lhs) or depends_on_dims(expr.rhs)
    return isinstance(expr, Dim)


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
        dims = ", ".join(f"d{i}" for i in range(self.dims))
        symbols = "[" + ", ".join(f"s{i}" for i in range(self.symbols)) + "]" if self.symbols else ""
        return f"({dims}){symbols} -> ({', '.join(map(str, self.results))})"


@dataclass(frozen=True, slots=True)
class AffineMapAttr(Attribute):
    alias: ClassVar[str] = "map"
    map: AffineMap

    def __str__(self) -> str:
        return f"affine_map<{self.map}>"
