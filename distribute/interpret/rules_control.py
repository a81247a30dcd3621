"""Rules for scf: branches under masks, loops until no thread is left."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ir.core import Operation, Value
from ...ir.dialects import cf, scf
from ...ir.numerics import Array, dtype_of, unsigned
from ...ir.types import element_type, shape_of
from .compile import Compiler, Step, interprets, run
from .errors import InterpretLimit, failure
from .machine import NOBODY, Machine, Number
from .memory import MemRef


def merge(op: Operation, value: Value, mask: Array, taken: Any, other: Any) -> Any:
    """For each thread `taken` where the mask holds, else `other`. Raises `InterpretError` for unlike memrefs."""
    if isinstance(taken, MemRef):
        return _merge_memrefs(op, mask, taken, other)
    axes = (1,) * len(shape_of(value.type))
    return np.where(mask.reshape(-1, *axes), np.asarray(taken), np.asarray(other))


def _merge_memrefs(op: Operation, mask: Array, taken: MemRef, other: MemRef) -> MemRef:
    if taken.buffer is not other.buffer:
        names = f"{taken.buffer.name} and {other.buffer.name}"
        raise failure(op, f"gives some threads one buffer and the others another: {names}")

    def pick(a: Number, b: Number) -> Number:
        return a if isinstance(a, int) and isinstance(b, int) and a == b else np.where(mask, a, b)

    sizes, strides = (
        tuple(pick(a, b) for a, b in zip(x, y, strict=True))
        for x, y in ((taken.sizes, other.sizes), (taken.strides, other.strides))
    )
    return MemRef(taken.buffer, taken.dtype, pick(taken.offset, other.offset), sizes, strides)


@interprets(scf.IfOp)
def _if(c: Compiler, op: scf.IfOp) -> Step:
    condition, results = c.slot(op.condition), c.slots(op.results)
    then_steps, then_values = c.block(op.then_block)
    else_steps, else_values = c.block(op.else_block) if op.else_block is not None else ([], [])

    def one_side(m: Machine, side: list[Step], yielded: list[int]) -> None:
        run(side, m)
        for result, value in zip(results, yielded, strict=True):
            m.values[result] = m.values[value]

    def step(m: Machine) -> None:
        outer = m.active
        taken, other = m.split(m.values[condition])
        if other is NOBODY:
            one_side(m, then_steps, then_values)
        elif taken is NOBODY:
            one_side(m, else_steps, else_values)
        else:
            assert taken is not None
            m.active = taken
            run(then_steps, m)
            m.active = other
            run(else_steps, m)
            m.active = outer
            for value, out, a, b in zip(op.results, results, then_values, else_values, strict=True):
                m.values[out] = merge(op, value, taken, m.values[a], m.values[b])

    return step


@interprets(scf.ForOp)
def _for(c: Compiler, op: scf.ForOp) -> Step:
    bounds = c.slots([op.lower_bound, op.upper_bound, op.step])
    counter, carried = c.slot(op.induction_variable), c.slots(op.iter_args)
    inits, results = c.slots(op.init_args), c.slots(op.results)
    steps, yielded = c.block(op.body)
    dtype = dtype_of(element_type(op.induction_variable.type))

    def step(m: Machine) -> None:
        outer = m.active
        lower, upper, stride = (m.values[b] for b in bounds)
        trips = _trips(m, op, lower, upper, stride)
        least, most = _range(trips, outer)
        values = [m.values[i] for i in inits]
        for i in range(most):
            _spend(m, op, 1 + len(steps), i)
            live = None if i < least else trips > i if outer is None else outer & (trips > i)
            m.values[counter] = _counted(lower, i, stride, dtype)
            for slot, value in zip(carried, values, strict=True):
                m.values[slot] = value
            m.active = outer if live is None else live
            run(steps, m)
            new = [m.values[y] for y in yielded]
            if live is not None:
                new = [merge(op, r, live, n, v) for r, n, v in zip(op.results, new, values, strict=True)]
            values = new
        m.active = outer
        for slot, value in zip(results, values, strict=True):
            m.values[slot] = value

    return step


@interprets(cf.AssertOp)
def _assert(c: Compiler, op: cf.AssertOp) -> Step:
    arg = c.slot(op.arg)

    def step(m: Machine) -> None:
        wrong = ~np.broadcast_to(np.asarray(m.values[arg]), (m.batch.size,))
        if m.active is not None:
            wrong = wrong & m.active
        if wrong.any():
            raise failure(op, f"does not hold in {m.batch.who(int(np.argmax(wrong)))}: {op.msg.value}")

    return step


@interprets(scf.IndexSwitchOp)
def _switch(c: Compiler, op: scf.IndexSwitchOp) -> Step:
    """The cases one after the other, each for the threads that take it; the default for those that are left."""
    arg, results = c.slot(op.arg), c.slots(op.results)
    cases = [(number, c.block(block)) for number, block in zip(op.cases, op.case_blocks, strict=True)]
    default = c.block(op.default_block)

    def step(m: Machine) -> None:
        outer, number = m.active, np.asarray(m.values[arg])
        values: list[Any] | None = None
        rest = np.ones(number.shape, np.bool_)
        for case, (steps, yielded) in cases:
            wanted = number == case
            values = _taken(m, op, wanted, steps, yielded, values)
            rest &= ~wanted
        values = _taken(m, op, rest, *default, values)
        m.active = outer
        assert values is not None
        for slot, value in zip(results, values, strict=True):
            m.values[slot] = value

    return step


def _taken(
    m: Machine, op: Operation, wanted: Array, steps: list[Step], yielded: list[int], values: list[Any] | None
) -> list[Any] | None:
    """What the operation gives where `wanted` threads run a region, the others having `values`."""
    outer = m.active
    taken, other = m.split(wanted)
    if taken is NOBODY:
        return values
    m.active = taken
    run(steps, m)
    m.active = outer
    new = [m.values[y] for y in yielded]
    if other is NOBODY or values is None:
        return new
    assert taken is not None
    return [merge(op, r, taken, n, v) for r, n, v in zip(op.results, new, values, strict=True)]


@interprets(scf.WhileOp)
def _while(c: Compiler, op: scf.WhileOp) -> Step:
    """Goes on until no thread is left; a thread that has ended keeps what it ended with."""
    inits, arguments, results = c.slots(op.inits), c.slots(op.before.arguments), c.slots(op.results)
    before, (condition, *handed) = c.block(op.before)
    taken = c.slots(op.after.arguments)
    after, yielded = c.block(op.after)

    def step(m: Machine) -> None:
        outer, iteration = m.active, 0
        values, ended = [m.values[i] for i in inits], list[Any]()
        while True:
            _spend(m, op, 1 + len(before) + len(after), iteration)
            _bind(m, arguments, values)
            run(before, m)
            live, here = m.active, [m.values[h] for h in handed]
            goes_on, _ = m.split(np.asarray(m.values[condition]))
            ended = here if not iteration else _kept(op, live, here, ended)
            if goes_on is NOBODY:
                break
            m.active, iteration = goes_on, iteration + 1
            _bind(m, taken, here)
            run(after, m)
            values = [m.values[y] for y in yielded]
        m.active = outer
        _bind(m, results, ended)

    return step


def _kept(op: scf.WhileOp, live: Array | None, here: list[Any], ended: list[Any]) -> list[Any]:
    """`here` of the threads that run, of the others what they ended with."""
    if live is None:
        return here
    return [merge(op, r, live, n, v) for r, n, v in zip(op.results, here, ended, strict=True)]


def _bind(m: Machine, slots: list[int], values: list[Any]) -> None:
    for slot, value in zip(slots, values, strict=True):
        m.values[slot] = value


def _spend(m: Machine, op: Operation, steps: int, iteration: int) -> None:
    reached = m.meter.spend(steps)
    if reached:
        threads = m.batch.size if m.active is None else int(np.count_nonzero(m.active))
        who = m.batch.who(m.someone())
        where = failure(op, f"{reached}: {threads} threads are in iteration {iteration}, first {who}")
        raise InterpretLimit(where.diagnostic)


def _trips(m: Machine, op: scf.ForOp, lower: Array, upper: Array, step: Array) -> Array:
    """How often each thread runs the body; the difference of the bounds may need all 64 bits."""
    wrong = step == 0 if op.is_unsigned else step <= 0
    if m.active is not None:
        wrong = wrong & m.active
    if np.any(wrong):
        thread = int(np.argmax(wrong))
        found = int(step if step.ndim == 0 else step[thread])
        raise failure(op, f"has step {found} in {m.batch.who(thread)}, it must be positive")
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
    """The fewest and the most iterations of an active thread."""
    counts = trips if active is None or trips.ndim == 0 else trips[active]
    return int(counts.min()), int(counts.max())
