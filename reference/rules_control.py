"""Rules for scf: branches under masks, loops until no owner is left."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..ir.core import Block, Operation, Value
from ..ir.dialects import cf, scf
from ..ir.effects import accesses
from ..ir.numerics import Array, dtype_of, unsigned
from ..ir.types import element_type, shape_of
from ..support.dataclasses import replace
from .batch_state import NOBODY, Number, State
from .closures import EVALUATE, Compiler, Step, run
from .errors import EvaluationLimit, failure
from .memory import MemRef
from .uncertainty import Maybe, Uncertainty, doubted, doubtful, joined

# -- values of several owners -----------------------------------------------------------------------------------------


def _merge(op: Operation, value: Value, mask: Array, taken: Any, other: Any) -> Any:
    """For each owner `taken` where the mask holds, else `other`. Raises `EvaluationError` for unlike memrefs."""
    if value.type.is_memref:
        return _merge_memrefs(op, mask, taken, other)
    return np.where(_along(mask, value), np.asarray(taken), np.asarray(other))


def _along(mask: Array, value: Value) -> Array:
    """Flags of owners with axes for the value's elements."""
    return mask.reshape(mask.shape + (1,) * len(shape_of(value.type)))


def _merge_memrefs(op: Operation, mask: Array, taken: MemRef, other: MemRef) -> MemRef:
    if taken.buffer is not other.buffer:
        names = f"{taken.buffer.name} and {other.buffer.name}"
        raise failure(op, f"gives some owners one buffer and the others another: {names}")

    def pick(a: Number, b: Number) -> Number:
        return a if isinstance(a, int) and isinstance(b, int) and a == b else np.where(mask, a, b)

    sizes, strides = (
        tuple(pick(a, b) for a, b in zip(x, y, strict=True))
        for x, y in ((taken.sizes, other.sizes), (taken.strides, other.strides))
    )
    bounds = taken.bounds
    if bounds is not None and other.bounds is not None:
        a, b = bounds, other.bounds
        bounds = replace(bounds, first=pick(a.first, b.first), bytes=pick(a.bytes, b.bytes))
    return MemRef(
        taken.buffer,
        taken.dtype,
        pick(taken.offset, other.offset),
        sizes,
        strides,
        taken.inner,
        pick(taken.origin, other.origin),
        pick(taken.elsewhere, other.elsewhere),
        bounds,
    )


def _merge_doubts(value: Value, mask: Array, taken: Maybe, other: Maybe) -> Maybe:
    flags = _along(mask, value)

    def merge(a: Array, b: Array) -> Array:
        return np.where(flags, a, b)

    return joined([(taken, _shape(taken)), (other, _shape(other))], merge)


def _shape(doubt: Maybe) -> tuple[int, ...]:
    return () if doubt is None else np.broadcast_shapes(*(part.shape for part in doubt.parts))


# -- branches ---------------------------------------------------------------------------------------------------------


Branch = tuple[list[Step], list[int]]
Handed = list[tuple[Any, Maybe]]
"""Values with their uncertainties."""


def handed(m: State, slots: list[int]) -> Handed:
    return [(m.values[slot], m.doubts[slot]) for slot in slots]


def bind(m: State, slots: list[int], handed: Handed) -> None:
    for slot, (value, doubt) in zip(slots, handed, strict=True):
        m.values[slot], m.doubts[slot] = value, doubt


def merged(op: Operation, value: Value, mask: Array, taken: tuple[Any, Maybe], other: tuple[Any, Maybe]) -> Any:
    """`_merge` of a value with its uncertainty."""
    return _merge(op, value, mask, taken[0], other[0]), _merge_doubts(value, mask, taken[1], other[1])


def chosen(op: Operation, mask: Array | None, taken: Handed, other: Handed) -> Handed:
    """For each owner `taken` where the mask holds, else `other`; without a mask `taken`."""
    if mask is None:
        return taken
    return [merged(op, r, mask, a, b) for r, a, b in zip(op.results, taken, other, strict=True)]


@EVALUATE.of(scf.IfOp)
def _if(op: scf.IfOp, c: Compiler) -> Step:
    condition = c.slot(op.condition)
    otherwise: Branch = c.block(op.else_block) if op.else_block is not None else ([], [])
    then = c.block(op.then_block)
    return branches(op, c, lambda m: m.values[condition], [condition], [(np.asarray, then)], otherwise)


@EVALUATE.of(scf.IndexSwitchOp)
def _switch(op: scf.IndexSwitchOp, c: Compiler) -> Step:
    cases = [(partial(operator.eq, number), c.block(b)) for number, b in zip(op.cases, op.case_blocks, strict=True)]
    arg = c.slot(op.arg)
    return branches(op, c, lambda m: m.values[arg], [arg], cases, c.block(op.default_block))


def branches(
    op: Operation,
    c: Compiler,
    selector: Callable[[State], Array],
    decides: list[int],
    cases: Sequence[tuple[Callable[[Array], Any], Branch]],
    default: Branch,
) -> Step:
    """One branch after the other, each for the owners that take it; the default for those that are left.

    `decides` are the slots of what the selector looks at.
    """
    results, has_effects = c.slots(op.results), _has_effects(op)

    def step(m: State) -> None:
        value = np.asarray(selector(m))
        rest = np.ones(value.shape, np.bool_)
        found: Handed | None = None
        for holds, branch in cases:
            wanted = np.asarray(holds(value))
            found = _taken(m, op, wanted & rest, branch, found)
            rest &= ~wanted
        found = _taken(m, op, rest, default, found)
        bind(m, results, found or [])
        open_ = [doubt for slot in decides if (doubt := m.doubts[slot]) is not None]
        for doubt in open_:
            _leave_open(m, op, results, doubt)
        if open_ and has_effects:
            m.settle(op, decides)

    return step


def _taken(m: State, op: Operation, wanted: Array, branch: Branch, before: Handed | None) -> Handed | None:
    """What the operation gives where `wanted` owners run a branch, the others having `before`."""
    outer = m.active
    taken, other = m.split(wanted)
    if taken is NOBODY:
        return before
    steps, yielded = branch
    m.active = taken
    run(steps, m)
    m.active = outer
    new = handed(m, yielded)
    return new if other is NOBODY or before is None else chosen(op, taken, new, before)


def _leave_open(m: State, op: Operation, results: list[int], condition: Uncertainty) -> None:
    """Either branch may have been right where the condition is undecided, or a number it depends on is inexact."""
    flags = condition.undecided | (condition.error > 0)
    for value, out in zip(op.results, results, strict=True):
        if value.type.is_memref:
            m.run.unsettled.append(op)
            continue
        open_ = doubtful(_along(flags, value))
        shape = np.broadcast_shapes(_shape(open_), np.shape(m.values[out]), _shape(m.doubts[out]))
        m.doubts[out] = doubted(m.doubts[out], open_, shape, False)


def _has_effects(op: Operation) -> bool:
    """Whether something in its regions is there for more than its results."""
    inner = [other for other in op.walk() if other is not op]
    return any(other.collective or any(a.writes for a in accesses(other)) for other in inner)


@EVALUATE.of(cf.AssertOp)
def _assert(op: cf.AssertOp, c: Compiler) -> Step:
    arg = c.slot(op.arg)

    def step(m: State) -> None:
        m.settle(op, [arg])
        wrong = ~np.broadcast_to(np.asarray(m.values[arg]), (m.batch.size,))
        if m.active is not None:
            wrong = wrong & m.active
        if wrong.any():
            who = m.batch.who(int(np.argmax(wrong)))
            raise failure(op, f"does not hold{' in ' if who else ''}{who}: {op.msg.value}")

    return step


# -- loops ------------------------------------------------------------------------------------------------------------


Counted = Callable[[State], tuple[Array, Callable[[int], Array]]]
"""How often each owner runs a loop's body, and its counter by iteration."""


@EVALUATE.of(scf.ForOp)
def _for(op: scf.ForOp, c: Compiler) -> Step:
    bounds = c.slots([op.lower_bound, op.upper_bound, op.step])
    dtype = dtype_of(element_type(op.induction_variable.type))

    def counted(m: State) -> tuple[Array, Callable[[int], Array]]:
        m.settle(op, bounds)
        lower, upper, stride = (m.values[b] for b in bounds)
        return _trips(m, op, lower, upper, stride), lambda i: _counted(lower, i, stride, dtype)

    return looped(op, c, op.body, c.slots(op.init_args), counted)


def looped(op: Operation, c: Compiler, body: Block, inits: list[int], counted: Counted) -> Step:
    """A loop whose body takes a counter and what it carries; owners that are through keep what they ended with."""
    counter, *carried = c.slots(body.arguments)
    results = c.slots(op.results)
    steps, yielded = c.block(body)

    def step(m: State) -> None:
        trips, number = counted(m)
        least, most = _range(trips, m.active)
        found, outer = handed(m, inits), m.active
        for i in range(most):
            live = None if i < least else trips > i if outer is None else outer & (trips > i)
            m.active = outer if live is None else live
            spend(m, op, 1 + len(steps), i)
            m.values[counter] = number(i)
            bind(m, carried, found)
            run(steps, m)
            found = chosen(op, live, handed(m, yielded), found)
        m.active = outer
        bind(m, results, found)

    return step


@EVALUATE.of(scf.WhileOp)
def _while(op: scf.WhileOp, c: Compiler) -> Step:
    """Goes on until no owner is left; one that has ended keeps what it ended with."""
    inits, arguments, results = c.slots(op.inits), c.slots(op.before.arguments), c.slots(op.results)
    before, (condition, *given) = c.block(op.before)
    taken = c.slots(op.after.arguments)
    after, yielded = c.block(op.after)

    def step(m: State) -> None:
        outer, iteration = m.active, 0
        carried, ended = handed(m, inits), Handed()
        while True:
            spend(m, op, 1 + len(before) + len(after), iteration)
            bind(m, arguments, carried)
            run(before, m)
            m.settle(op, [condition])
            here = handed(m, given)
            ended = chosen(op, m.active if iteration else None, here, ended)
            goes_on, _ = m.split(np.asarray(m.values[condition]))
            if goes_on is NOBODY:
                break
            m.active, iteration = goes_on, iteration + 1
            bind(m, taken, here)
            run(after, m)
            carried = handed(m, yielded)
        m.active = outer
        bind(m, results, ended)

    return step


def spend(m: State, op: Operation, steps: int, iteration: int) -> None:
    reached = m.run.meter.spend(steps)
    if reached:
        owners = m.batch.size if m.active is None else int(np.count_nonzero(m.active))
        first = m.batch.who(m.someone())
        where = f": {owners} {m.batch.geometry.scope}s are in iteration {iteration}, first {first}" if first else ""
        raise EvaluationLimit(failure(op, f"{reached}{where}").diagnostic)


def _trips(m: State, op: scf.ForOp, lower: Array, upper: Array, step: Array) -> Array:
    """How often each owner runs the body; the difference of the bounds may need all 64 bits."""
    wrong = step == 0 if op.is_unsigned else step <= 0
    if m.active is not None:
        wrong = wrong & m.active
    if np.any(wrong):
        owner = int(np.argmax(wrong))
        found = int(step if step.ndim == 0 else step[owner])
        raise failure(op, f"{m.at(owner)}has step {found}, it must be positive")
    low, high, by = (unsigned(np.asarray(x)) if op.is_unsigned else np.asarray(x) for x in (lower, upper, step))
    with np.errstate(over="ignore"):
        distance = high.astype(np.uint64) - low.astype(np.uint64) - np.uint64(1)
        count = distance // np.maximum(by, 1).astype(np.uint64) + np.uint64(1)
    return np.where(low < high, count, np.uint64(0)).astype(np.int64)


def _counted(lower: Array, iterations: int, step: Array, dtype: np.dtype[Any]) -> Array:
    """lower + iterations * step, which a loop's counter holds; as bits, since an unsigned one may wrap as signed."""
    first, by = (unsigned(np.asarray(x)).astype(np.uint64) for x in (lower, step))
    with np.errstate(over="ignore"):
        return np.asarray(first + np.uint64(iterations) * by).astype(f"u{dtype.itemsize}").view(dtype)


def _range(trips: Array, active: Array | None) -> tuple[int, int]:
    """The fewest and the most iterations of an active owner."""
    counts = trips if active is None or trips.ndim == 0 else trips[active]
    return int(counts.min()), int(counts.max())
