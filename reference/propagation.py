"""What becomes of uncertainties in each operation on values: one rule per class, and those that hold for many.

An operation whose operands are exact and that rounds as IEEE 754 says gives the same bits everywhere: only sums in any
order and approximated functions bring errors in, everything else hands them on. What has no rule makes every result
undecided once an operand is not exact, so that a missing rule can never turn a right result into a wrong one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeGuard

import numpy as np

from ..ir.core import Operation
from ..ir.dialects import ub, vector
from ..ir.dialects.elementwise import MaybeUndefined
from ..ir.element_moves import only_moves
from ..ir.numerics import Array
from ..ir.rule_table import RuleTable
from ..ir.types import Type, shape_of
from ..support.dataclasses import dataclass
from ..support.named_tuples import NamedTuple
from ..targets.accumulation import Accumulation
from .uncertainty import Flags, Maybe, Uncertainty, any_undecided, doubted, doubtful, joined, settled

Values = Sequence[Array]
Uncertainties = Sequence[Maybe]
Propagate = Callable[[Values, Uncertainties, Values], list[Maybe]]
"""From operands, their uncertainties and the results to the results' uncertainties."""


class Accuracy(NamedTuple):
    """How far one operation's result may be from the exact one: in units in its last place, and absolutely.

    Both are 0 for those that round once. Functions of f16 and shorter types are computed in f32: its units count.
    """

    ulps: float
    absolute: float = 0.0
    flushes: bool = False
    """Whether subnormal numbers may count as zero."""
    skips_overflow: bool = False
    """Whether steps that overflow may be left out."""


@dataclass(frozen=True)
class Machine:
    """Where the arithmetic of the machine that is compared with differs from the reference's.

    `accuracy` is that of an operation of its own, `units` the ways in which products are
    added up in an accumulator of an element type.
    """

    accuracy: Callable[[Operation], Accuracy]
    units: Callable[[Type], Sequence[Accumulation]]


PROPAGATE: RuleTable[Callable[[Any, Machine], Propagate]] = RuleTable("PROPAGATE")
"""Operations with a rule of their own."""


def propagation(op: Operation, machine: Machine) -> Propagate:
    """The rule for one operation."""
    rule = _rule(op, machine)
    return _or_undefined(op, rule) if may_be_undefined(op) else rule


def may_be_undefined(op: Operation) -> TypeGuard[MaybeUndefined]:
    """Whether there are operands that leave the result undefined."""
    return isinstance(op, MaybeUndefined) and op.may_be_undefined


def _or_undefined(op: MaybeUndefined, rule: Propagate) -> Propagate:
    """What is undefined is never compared."""

    def propagate(values: Values, uncertainties: Uncertainties, results: Values) -> list[Maybe]:
        (found,) = rule(values, uncertainties, results)
        with np.errstate(all="ignore"):
            flags = np.broadcast_to(op.undefined(*values), results[0].shape)
        return [doubted(found, doubtful(flags), results[0].shape, everywhere=False)]

    return propagate


def _rule(op: Operation, machine: Machine) -> Propagate:
    rule = PROPAGATE.get(type(op))
    if rule is not None:
        return rule(op, machine)
    if range(*op.moves.indices(len(op.operands))):
        return _moves(op)
    return _elementwise if op.elementwise else _anything


def _moves(op: Operation) -> Propagate:
    """Elements go where the values' own go; a position that is undecided leaves no element decided."""
    moved = range(*op.moves.indices(len(op.operands)))
    poison = _poison(op)

    def propagate(values: Values, uncertainties: Uncertainties, results: Values) -> list[Maybe]:
        others = [u for i, u in enumerate(uncertainties) if i not in moved]
        if any(u is not None for u in others):
            return _anything(values, others, results)

        def move(*parts: Array) -> Array | tuple[Array, ...]:
            arguments = [parts[moved.index(i)] if i in moved else value for i, value in enumerate(values)]
            placed: Array | tuple[Array, ...] = op.reference(*arguments)
            return placed

        sources = [(uncertainties[i], values[i].shape) for i in moved]
        if len(results) == 1:
            return [doubted(joined(sources, move), poison, results[0].shape, everywhere=False)]
        return [joined(sources, _nth(move, i)) for i in range(len(results))]

    return propagate


def _poison(op: Operation) -> Maybe:
    """What comes from no operand may be anything."""
    if not only_moves(op):
        return None
    return doubtful(np.asarray(op.reference(*[np.ones(shape_of(v.type), np.bool_) for v in op.operands])) == 0)


@PROPAGATE.of(ub.PoisonOp)
def _anything_at_all(op: ub.PoisonOp, machine: Machine) -> Propagate:
    return lambda values, uncertainties, results: [doubtful(np.ones(result.shape, np.bool_)) for result in results]


@PROPAGATE.of(vector.ReshapeOp)
def _retiled(op: vector.ReshapeOp, machine: Machine) -> Propagate:
    """What tiles have beyond the data may be anything."""
    move = _moves(op)

    def propagate(values: Values, uncertainties: Uncertainties, results: Values) -> list[Maybe]:
        (result,) = move(values, uncertainties, results)
        beyond = doubtful(op.reference(np.ones(values[0].shape, np.bool_), *values[1:]) == 0)
        return [doubted(result, beyond, results[0].shape, everywhere=False)]

    return propagate


def _nth(move: Callable[..., Any], number: int) -> Callable[..., Any]:
    return lambda *parts: move(*parts)[number]


def _elementwise(values: Values, uncertainties: Uncertainties, results: Values) -> list[Maybe]:
    """The uncertainty of results of elementwise operations on integers, and of operations without a rule: an element is
    undecided where its operands are inexact."""
    return [doubtful(_inexact(uncertainties, result.shape)) for result in results]


def _anything(values: Values, uncertainties: Uncertainties, results: Values) -> list[Maybe]:
    inexact = any(u is not None for u in uncertainties)
    return [doubtful(np.full(result.shape, inexact)) for result in results]


def _inexact(uncertainties: Uncertainties, shape: tuple[int, ...]) -> Flags:
    flags = any_undecided(uncertainties, shape)
    for uncertainty in uncertainties:
        if uncertainty is not None:
            flags |= uncertainty.error > 0
    return flags


@PROPAGATE.of(vector.BroadcastOp)
def _broadcast(op: Operation, machine: Machine) -> Propagate:
    """Copies have their error in common."""
    move = _moves(op)

    def propagate(values: Values, uncertainties: Uncertainties, results: Values) -> list[Maybe]:
        (result,) = move(values, uncertainties, results)
        return [result if result is None or values[0].size == results[0].size else result.shared()]

    return propagate


@PROPAGATE.of(vector.BitCastOp)
def _bitcast(op: vector.BitCastOp, machine: Machine) -> Propagate:
    """An element is undecided where bits of it come from an inexact one."""
    count = np.gcd(op.source.type.elements, op.result_.type.elements)

    def propagate(values: Values, uncertainties: Uncertainties, results: Values) -> list[Maybe]:
        flags = _inexact(uncertainties, values[0].shape).reshape(count, -1).any(axis=1)
        return [doubtful(np.repeat(flags, results[0].size // count).reshape(results[0].shape))]

    return propagate


def combined(uncertainties: Uncertainties, factors: Sequence[Array], shape: tuple[int, ...]) -> Uncertainty:
    """Errors of operands times how much the result changes with each; they add up whatever they have in common."""
    total = [np.zeros(shape) for _ in range(3)]
    for uncertainty, factor in zip(uncertainties, factors, strict=True):
        if uncertainty is not None:
            for sum_, part in zip(total, uncertainty.parts, strict=False):
                sum_ += np.multiply(factor, part, where=part > 0, out=np.zeros(shape))
    worst, drift, spread = total
    return Uncertainty(worst, drift, spread, any_undecided(uncertainties, shape))


def settle(uncertainty: Uncertainty) -> list[Maybe]:
    return [settled(uncertainty)]
