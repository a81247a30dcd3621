"""affine: index arithmetic as integer instructions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence

from ...ir.affine import AffineExpr, Binary, Constant, Dim, Symbol
from ...ir.core import Operation, Value
from ...ir.dialects import affine
from . import integers
from .arith_integers import min_max, rounded_quotient
from .emission import Emission
from .emit_rules import EMIT
from .text import Ssa, Writer, integer


def _shift_of(divisor: Ssa) -> int | None:
    """log2 of a constant power of two."""
    n = divisor.number
    return n.bit_length() - 1 if n is not None and n > 0 and n & (n - 1) == 0 else None


def floor_quotient(w: Writer, a: Ssa, b: Ssa) -> Ssa:
    shift = _shift_of(b)
    return rounded_quotient(w, a, b, up=False) if shift is None else integers.binary(w, "ashr", a, integer(shift))


def floor_remainder(w: Writer, a: Ssa, b: Ssa) -> Ssa:
    """a mod b with b > 0: from 0 to b - 1."""
    if _shift_of(b) is not None:
        return integers.binary(w, "and", a, integers.sub(w, b, integer(1)))
    return integers.sub(w, a, integers.mul(w, floor_quotient(w, a, b), b))


_OPERATORS: Mapping[str, Callable[[Writer, Ssa, Ssa], Ssa]] = {
    "+": integers.add,
    "*": integers.mul,
    "floordiv": floor_quotient,
    "ceildiv": functools.partial(rounded_quotient, up=True),
    "mod": floor_remainder,
}


def expression(w: Writer, expr: AffineExpr, dims: Sequence[Ssa], symbols: Sequence[Ssa]) -> Ssa:
    match expr:
        case Dim(index):
            return dims[index]
        case Symbol(index):
            return symbols[index]
        case Constant(value):
            return integer(value)
        case Binary(operator, lhs, rhs):
            return _OPERATORS[operator](w, expression(w, lhs, dims, symbols), expression(w, rhs, dims, symbols))
        case _:
            raise AssertionError(expr)


def _results(em: Emission, op: affine.MapOp) -> list[Ssa]:
    map, values = op.map.map, em.scalars(op.operands)
    return [expression(em.w, e, values[: map.dims], values[map.dims :]) for e in map.results]


@EMIT.of(affine.ApplyOp)
def _apply(em: Emission, op: affine.ApplyOp) -> None:
    (value,) = _results(em, op)
    em.set(op.result_, value)


_EXTREMES: Mapping[type[Operation], str] = {affine.MinOp: "smin", affine.MaxOp: "smax"}


@EMIT.of(*_EXTREMES)
def _extreme(em: Emission, op: affine.MapOp) -> None:
    name = _EXTREMES[type(op)]
    em.set(op.result_, functools.reduce(lambda a, b: min_max(em.w, name, a, b), _results(em, op)))


def _basis(em: Emission, static: Sequence[int | None], dynamic: Sequence[Value]) -> list[Ssa]:
    given = iter(em.scalars(dynamic))
    return [next(given) if n is None else integer(n) for n in static]


@EMIT.of(affine.LinearizeIndexOp)
def _linearize(em: Emission, op: affine.LinearizeIndexOp) -> None:
    indices, basis = em.scalars(op.multi_index), _basis(em, op.static_basis, op.dynamic_basis)
    total = indices[0]
    for index, extent in zip(indices[1:], basis[len(basis) - len(indices) + 1 :], strict=True):
        total = integers.add(em.w, integers.mul(em.w, total, extent), index)
    em.set(op.linear_index, total)


@EMIT.of(affine.DelinearizeIndexOp)
def _delinearize(em: Emission, op: affine.DelinearizeIndexOp) -> None:
    basis = _basis(em, op.static_basis, op.dynamic_basis)
    inner = basis[len(basis) - len(op.results) + 1 :]
    rest, coordinates = em.scalar(op.linear_index), list[Ssa]()
    for extent in reversed(inner):
        coordinates.append(floor_remainder(em.w, rest, extent))
        rest = floor_quotient(em.w, rest, extent)
    for result, value in zip(op.results, [rest, *reversed(coordinates)], strict=True):
        em.set(result, value)
