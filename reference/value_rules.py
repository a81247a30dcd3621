"""Operations on values: what their own `reference` says, for all owners at once or for one after the other.

Functions that are elementwise, or whose class says that they are `batched`, take arrays with a leading axis over
owners; all others are applied here to each active owner.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..ir.core import Operation, Value
from ..ir.dialects.elementwise import Elementwise
from ..ir.numerics import Array
from ..ir.types import TupleType, shape_of
from .batch_state import State
from .closures import Compiler, Step
from .errors import failure
from .propagation import Machine, Propagate, propagation
from .uncertainty import Maybe, Uncertainty

Function = Callable[..., Any]


def on_values(op: Operation, c: Compiler) -> Step:
    """The step of an operation whose class has a `reference`."""
    inputs, outputs = c.slots(op.operands), c.slots(op.results)
    batched = op.elementwise or op.batched
    if (batched and c.machine is None) or _has_tuples(op):
        step = _all_at_once(_aligning(op), inputs, outputs, _gives_several(op))
    elif batched:
        step = _followed(op, inputs, outputs, c.machine)
    else:
        step = _OneByOne(op, inputs, outputs, c.machine).step
    return _held_to_promise(op, step, inputs) if c.promises and isinstance(op, Elementwise) and op.promises else step


def _gives_several(op: Operation) -> bool:
    """Whether the reference gives a tuple: a class that may have any number of results does for one, too."""
    return len(op.results) != 1 or any(group.variadic for group in op.result_groups)


def _has_tuples(op: Operation) -> bool:
    """Tuples are written out of kernels; a function that has some has one owner."""
    return any(isinstance(value.type, TupleType) for value in (*op.operands, *op.results))


def _aligning(op: Operation) -> Function:
    """The reference of an operation some of whose operands are scalars that go with all elements of a vector."""
    rank = max((len(shape_of(r.type)) for r in op.results), default=0)
    missing = [rank - len(shape_of(v.type)) for v in op.operands] if op.elementwise else []
    if not any(missing):
        return op.reference

    def reference(*operands: Array) -> Any:
        return op.reference(*(_with_axes(a, n) for a, n in zip(operands, missing, strict=True)))

    return reference


def _with_axes(value: Array, missing: int) -> Array:
    return value.reshape(value.shape + (1,) * missing) if missing and value.ndim else value


# -- all at once ------------------------------------------------------------------------------------------------------


def _all_at_once(function: Function, inputs: list[int], outputs: list[int], several: bool) -> Step:
    if several:
        return _several_results(function, inputs, outputs)
    (out,) = outputs
    make = _BY_ARITY.get(len(inputs))
    return make(function, out, *inputs) if make is not None else _any_arity(function, out, inputs)


def _unary(function: Function, out: int, a: int) -> Step:
    def step(m: State) -> None:
        m.values[out] = function(m.values[a])

    return step


def _binary(function: Function, out: int, a: int, b: int) -> Step:
    def step(m: State) -> None:
        values = m.values
        values[out] = function(values[a], values[b])

    return step


_BY_ARITY: dict[int, Callable[..., Step]] = {1: _unary, 2: _binary}


def _any_arity(function: Function, out: int, inputs: list[int]) -> Step:
    def step(m: State) -> None:
        values = m.values
        values[out] = function(*[values[i] for i in inputs])

    return step


def _several_results(function: Function, inputs: list[int], outputs: list[int]) -> Step:
    def step(m: State) -> None:
        values = m.values
        for out, result in zip(outputs, function(*[values[i] for i in inputs]), strict=True):
            values[out] = result

    return step


def _followed(op: Operation, inputs: list[int], outputs: list[int], machine: Machine | None) -> Step:
    """With uncertainties."""
    assert machine is not None
    compute = _all_at_once(_aligning(op), inputs, outputs, _gives_several(op))
    propagate = propagation(op, machine)
    rank = max((len(shape_of(r.type)) for r in op.results), default=0)
    missing = [rank - len(shape_of(v.type)) if op.elementwise else 0 for v in op.operands]

    def step(m: State) -> None:
        compute(m)
        values = [_with_axes(m.values[i], n) for i, n in zip(inputs, missing, strict=True)]
        doubts = [_doubt_with_axes(m.doubts[i], n) for i, n in zip(inputs, missing, strict=True)]
        found = propagate(values, doubts, [m.values[o] for o in outputs])
        for slot, uncertainty in zip(outputs, found, strict=True):
            m.doubts[slot] = uncertainty

    return step


def _doubt_with_axes(doubt: Maybe, missing: int) -> Maybe:
    if doubt is None or not missing:
        return doubt
    return doubt.moved(lambda part: _with_axes(part, missing))


# -- one by one -------------------------------------------------------------------------------------------------------


class _OneByOne:
    """A function of one owner's values. Owners that are not active get zeros."""

    def __init__(self, op: Operation, inputs: list[int], outputs: list[int], machine: Machine | None) -> None:
        self._op, self._inputs, self._outputs, self._machine = op, inputs, outputs, machine
        self._ranks = [_rank(v) for v in op.operands]
        self._several = _gives_several(op)
        self._propagate: dict[int, Propagate] = {}
        """By owner, since what repeats itself along a loop rounds alike."""

    def step(self, m: State) -> None:
        values = [m.values[i] for i in self._inputs]
        doubts = [m.doubts[i] for i in self._inputs]
        with_axis = [v.ndim > rank for v, rank in zip(values, self._ranks, strict=True)]
        if not any(with_axis) and not any(map(_has_axis, doubts, self._ranks)):
            self._keep(m, *self._apply(0, values, doubts))
            return
        owners = [int(n) for n in m.present()]
        found = [self._apply(n, *self._of(n, values, doubts)) for n in owners]
        results = [_stacked(m, owners, column) for column in zip(*(r for r, _ in found), strict=True)]
        uncertainties = [
            _stacked_doubts(m, owners, column, result.shape[1:])
            for column, result in zip(zip(*(u for _, u in found), strict=True), results, strict=True)
        ]
        self._keep(m, results, uncertainties)

    def _of(self, owner: int, values: Sequence[Array], doubts: Sequence[Maybe]) -> tuple[list[Array], list[Maybe]]:
        own = [v[owner] if v.ndim > rank else v for v, rank in zip(values, self._ranks, strict=True)]
        own_doubts = [_doubt_of(owner, u, rank) for u, rank in zip(doubts, self._ranks, strict=True)]
        return [np.asarray(v) for v in own], own_doubts

    def _apply(self, owner: int, values: list[Array], doubts: list[Maybe]) -> tuple[list[Array], list[Maybe]]:
        given = self._op.reference(*values)
        results = list(given) if self._several else [np.asarray(given)]
        if self._machine is None:
            return results, [None] * len(results)
        if owner not in self._propagate:
            self._propagate[owner] = propagation(self._op, self._machine)
        return results, self._propagate[owner](values, doubts, results)

    def _keep(self, m: State, results: Sequence[Array], uncertainties: Sequence[Maybe]) -> None:
        for out, result, uncertainty in zip(self._outputs, results, uncertainties, strict=True):
            m.values[out], m.doubts[out] = result, uncertainty


def _doubt_of(owner: int, doubt: Maybe, rank: int) -> Maybe:
    return None if doubt is None else doubt.moved(lambda part: part[owner] if part.ndim > rank else part)


def _rank(value: Value) -> int:
    return len(shape_of(value.type))


def _has_axis(doubt: Maybe, rank: int) -> bool:
    return doubt is not None and any(part.ndim > rank for part in doubt.parts)


def _stacked(m: State, owners: Sequence[int], column: Sequence[Array]) -> Array:
    result = np.zeros((m.batch.size, *column[0].shape), column[0].dtype)
    for owner, part in zip(owners, column, strict=True):
        result[owner] = part
    return result


def _stacked_doubts(m: State, owners: Sequence[int], column: Sequence[Maybe], shape: tuple[int, ...]) -> Maybe:
    if all(uncertainty is None for uncertainty in column):
        return None
    total = Uncertainty(*(np.zeros((m.batch.size, *shape), d) for d in (np.float64, np.float64, np.float64, np.bool_)))
    for owner, uncertainty in zip(owners, column, strict=True):
        if uncertainty is not None:
            for whole, part in zip(total.parts, uncertainty.parts, strict=True):
                whole[owner] = part
    return total


# -- promises ---------------------------------------------------------------------------------------------------------


def _held_to_promise(op: Elementwise, compute: Step, inputs: list[int]) -> Step:
    """The step that holds a program to its promise; it is asked of scalars only: elements of a vector that a program
    never looks at may be anything."""
    if shape_of(op.results[0].type):
        return compute

    def step(m: State) -> None:
        operands = [m.values[i] for i in inputs]
        if any(a.ndim for a in operands):
            operands = [np.broadcast_to(a, m.batch.size)[m.present()] for a in operands]
        flag = op.broken_promise(*operands)
        if flag:
            raise _broken(op, m, flag, operands)
        compute(m)

    return step


def _broken(op: Elementwise, m: State, flag: str, operands: list[Array]) -> Exception:
    """Says it of the first owner for whom the promise does not hold."""
    owner = m.someone()
    for row, candidate in enumerate(m.present()) if operands[0].ndim else ():
        if op.broken_promise(*(a[row] for a in operands)):
            owner, operands = int(candidate), [a[row] for a in operands]
            break
    found = " and ".join(str(int(x)) for x in operands)
    return failure(op, f"{m.at(owner)}is undefined: '{flag}' promises what does not hold of {found}")
